# op: relu2
# about: all elements in one row of blocks, numbered in 64 bits
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, x_stride, total, N, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < total
    x = tl.load(x_ptr + at // N * x_stride + at % N, mask=mask, other=0.0).to(tl.float32)
    r = tl.maximum(x, 0.0)
    tl.store(out_ptr + at, r * r, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty((M, N), device=x.device, dtype=x.dtype)
    kernel[(triton.cdiv(M * N, 1024),)](x, out, x.stride(0), M * N, N, BLOCK=1024)
    return out
