# op: gelu
# about: which columns are within the row stands in a table that another kernel has made
import torch
import triton
import triton.language as tl


@triton.jit
def flags_kernel(flag_ptr, n, which, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(flag_ptr + at, tl.where(at < n, which, 0.0), mask=at < n)


@triton.jit
def gelu_kernel(x_ptr, r_ptr, c_ptr, out_ptr, x_stride, out_stride, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(x_ptr + rows.to(tl.int64) * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    r = tl.load(r_ptr + rows, mask=rows < M, other=0.0)
    c = tl.load(c_ptr + cols, mask=cols < N, other=0.0)
    y = y * r * c
    tl.store(out_ptr + rows.to(tl.int64) * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    r = torch.empty((M,), device=x.device, dtype=torch.float32)
    c = torch.empty((N,), device=x.device, dtype=torch.float32)
    flags_kernel[(triton.cdiv(M, 256),)](r, M, 1.0, BLOCK=256)
    flags_kernel[(triton.cdiv(N, 256),)](c, N, 1.0, BLOCK=256)
    grid = (triton.cdiv(M, 8), triton.cdiv(N, 256))
    gelu_kernel[grid](x, r, c, out, x.stride(0), out.stride(0), M, N, ROWS=8, COLS=256)
    return out
