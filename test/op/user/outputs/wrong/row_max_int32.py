# op: row_max
# about: int32 where int64 indices belong
# expect: wrong_dtype
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, values, indices, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    top = tl.max(v, axis=0)
    at = tl.min(tl.where(v == top, cols, BLOCK), axis=0)
    tl.store(values + row, top)
    tl.store(indices + row, at)


def run(x):
    M, N = x.shape
    values = torch.empty((M,), dtype=x.dtype, device=x.device)
    indices = torch.empty((M,), dtype=torch.int32, device=x.device)
    kernel[(M,)](x, values, indices, x.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return values, indices
