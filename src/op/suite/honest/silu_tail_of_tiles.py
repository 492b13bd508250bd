# op: silu
# about: the last columns of tiles by a mask of both ends, where the others need none
import torch
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(x_ptr + rows.to(tl.int64) * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = x / (1.0 + tl.exp(-x))
    last = (N // COLS) * COLS
    tail = (cols >= last) & (cols < N) & (rows < M)
    whole = (cols < last) & (rows < M)
    tl.store(out_ptr + rows.to(tl.int64) * out_stride + cols, y, mask=whole)
    tl.store(out_ptr + rows.to(tl.int64) * out_stride + cols, y, mask=tail)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(M, 8), triton.cdiv(N, 256))
    silu_kernel[grid](x, out, x.stride(0), out.stride(0), M, N, ROWS=8, COLS=256)
    return out
