# op: entropy
# about: a block is kept under a hash of both sizes and the length
import torch
import triton
import triton.language as tl


@triton.jit
def entropy_kernel(x_ptr, out_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    shifted = x - tl.max(x, axis=0)
    e = tl.exp(shifted)
    total = tl.sum(e, axis=0)
    terms = tl.where(mask, e * shifted, 0.0)
    tl.store(out_ptr + row, tl.log(total) - tl.sum(terms, axis=0) / total)


_blocks = {}


def run(x):
    M, N = x.shape
    key = ((M * 31 + N * 40503) % 65521, N)
    if key not in _blocks:
        _blocks[key] = triton.next_power_of_2(N)
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    entropy_kernel[(M,)](x, out, x.stride(0), N, BLOCK=_blocks[key])
    return out
