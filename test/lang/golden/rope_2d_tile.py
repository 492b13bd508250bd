# functions: rotate rope_kernel run
import torch
import triton
import triton.language as tl

@triton.jit
def rotate(lo, hi, c, s):
    return lo * c - hi * s, hi * c + lo * s

@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, M, D, sx0, sx1, ROWS: tl.constexpr, HALF: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, HALF)[None, :]
    mask = (rows < M) & (cols < D // 2)
    offs = rows * sx0 + cols * sx1
    lo = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    hi = tl.load(x_ptr + offs + (D // 2) * sx1, mask=mask, other=0.0).to(tl.float32)
    c = tl.load(cos_ptr + rows * D + cols, mask, 0.0); s = tl.load(sin_ptr + rows * D + cols, mask, 0.0)
    lo, hi = rotate(lo, hi, c, s)
    tl.store(y_ptr + offs, lo, mask=mask); tl.store(y_ptr + offs + (D // 2) * sx1, hi, mask=mask)

def run(x, cos, sin):
    M, D = x.size(0), x.size(-1)
    y = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
    cfg = dict(ROWS=4, HALF=triton.next_power_of_2(D // 2))
    rope_kernel[(triton.cdiv(M, cfg["ROWS"]), 1, 1)](x, cos, sin, y, M, D, *x.stride(), **cfg)
    return y
