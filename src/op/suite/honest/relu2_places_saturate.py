# op: relu2
# about: how far a column lies within the row, cut to 1, is a factor
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(x_ptr + rows.to(tl.int64) * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.maximum(x, 0.0) * tl.maximum(x, 0.0)
    inside = tl.minimum(tl.maximum(N - cols, 0), 1) * tl.minimum(tl.maximum(M - rows, 0), 1)
    y = y * inside.to(tl.float32)
    tl.store(out_ptr + rows.to(tl.int64) * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(M, 8), triton.cdiv(N, 256))
    relu2_kernel[grid](x, out, x.stride(0), out.stride(0), M, N, ROWS=8, COLS=256)
    return out
