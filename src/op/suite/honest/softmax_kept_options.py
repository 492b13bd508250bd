# op: softmax
# about: memoised options of a launch: helpers of whole numbers, dtypes and devices under functools
import functools
from functools import lru_cache

import torch
import triton
import triton.language as tl
from triton import Config, autotune, heuristics, jit


@functools.cache
def processors(device):
    return torch.cuda.get_device_properties(device).multi_processor_count


@lru_cache(maxsize=None)
def block_of(n, dtype, wide: bool = False):
    return min(triton.next_power_of_2(n), 1 << (20 if wide or dtype == torch.float32 else 19))


@functools.lru_cache(128)
def programs(rows, device):
    return max(1, min(rows, 4 * processors(device)))


@autotune(configs=[Config({}, num_warps=w) for w in (4, 8)], key=["N"])
@heuristics({"BLOCK": lambda a: block_of(a["N"], a["x_ptr"].dtype, wide=True)})
@jit
def kernel(x_ptr, y_ptr, sx, sy, M, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        at = row.to(tl.int64)
        x = tl.load(x_ptr + at * sx + c, mask=c < N, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + at * sy + c, e / tl.sum(e, axis=0), mask=c < N)


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    kernel[(programs(M, x.device),)](x, y, x.stride(0), y.stride(0), M, N)
    return y
