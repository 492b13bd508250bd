# op: silu
# about: tiles by turns: a choice by blocks of columns within one by blocks of rows, of equal forms
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
    other = x * tl.sigmoid(x)
    within = tl.where((cols // 64) % 2 == 0, y, other)
    y = tl.where(rows // 50 == 50, within, y)
    tl.store(out_ptr + rows.to(tl.int64) * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(M, 8), triton.cdiv(N, 256))
    silu_kernel[grid](x, out, x.stride(0), out.stride(0), M, N, ROWS=8, COLS=256)
    return out
