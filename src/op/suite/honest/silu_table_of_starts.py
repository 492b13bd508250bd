# op: silu
# about: another kernel writes where each row begins, and which columns are even
import torch
import triton
import triton.language as tl


@triton.jit
def starts_kernel(start_ptr, even_ptr, M, N, x_stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(start_ptr + at, at.to(tl.int64) * x_stride, mask=at < M)
    tl.store(even_ptr + at, tl.where(at % 2 == 0, 1.0, 0.0), mask=at < N)


@triton.jit
def silu_kernel(x_ptr, start_ptr, even_ptr, out_ptr, out_stride, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)[None, :]
    mask = (rows < M) & (cols < N)
    start = tl.load(start_ptr + rows, mask=rows < M, other=0)
    x = tl.load(x_ptr + start + cols, mask=mask, other=0.0).to(tl.float32)
    even = tl.load(even_ptr + cols, mask=cols < N, other=0.0)
    y = even * (x * tl.sigmoid(x)) + (1.0 - even) * (x / (1.0 + tl.exp(-x)))
    tl.store(out_ptr + rows.to(tl.int64) * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    start = torch.empty((M,), device=x.device, dtype=torch.int64)
    even = torch.empty((N,), device=x.device, dtype=torch.float32)
    starts_kernel[(triton.cdiv(max(M, N), 512),)](start, even, M, N, x.stride(0), BLOCK=512)
    grid = (triton.cdiv(M, 8), triton.cdiv(N, 256))
    silu_kernel[grid](x, start, even, out, out.stride(0), M, N, ROWS=8, COLS=256)
    return out
