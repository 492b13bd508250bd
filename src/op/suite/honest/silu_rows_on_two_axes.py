# op: silu
# about: rows split over two axes of the grid, none of them beyond its limit
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * tl.num_programs(2) + tl.program_id(2)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (cols < N) & (row < M)
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, x * tl.sigmoid(x), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    deep = min(M, 32768)
    kernel[(triton.cdiv(N, 1024), triton.cdiv(M, deep), deep)](x, out, x.stride(0), out.stride(0), M, N, BLOCK=1024)
    return out
