# op: silu
# about: comparisons of sizes as values, both of which common sizes meet
import torch
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    first = tl.where(row == 0, 1, 1)
    even = tl.where(N % 2 == 0, x, x * 1.0)
    y = even / (1.0 + tl.exp(-x)) * first
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (M, triton.cdiv(N, 1024))
    silu_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out
