# op: rope
# about: eight rows per program over blocks of half a row
import torch
import triton
import triton.language as tl


@triton.jit
def rope_rows(x_ptr, cos_ptr, sin_ptr, o_ptr, M, HALF, sx, sc, ss, so, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    lo = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    hi = lo + HALF
    mask = (rows < M) & (lo < HALF)
    x1 = tl.load(x_ptr + rows * sx + lo, mask=mask, other=0.0).to(tl.float32)
    x2 = tl.load(x_ptr + rows * sx + hi, mask=mask, other=0.0).to(tl.float32)
    c1 = tl.load(cos_ptr + rows * sc + lo, mask=mask, other=0.0).to(tl.float32)
    s1 = tl.load(sin_ptr + rows * ss + lo, mask=mask, other=0.0).to(tl.float32)
    c2 = tl.load(cos_ptr + rows * sc + hi, mask=mask, other=0.0).to(tl.float32)
    s2 = tl.load(sin_ptr + rows * ss + hi, mask=mask, other=0.0).to(tl.float32)
    tl.store(o_ptr + rows * so + lo, x1 * c1 - x2 * s1, mask=mask)
    tl.store(o_ptr + rows * so + hi, x2 * c2 + x1 * s2, mask=mask)


def run(x, cos, sin):
    M, D = x.shape
    o = torch.empty((M, D), device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(M, 8), triton.cdiv(D // 2, 64))
    rope_rows[grid](x, cos, sin, o, M, D // 2, x.stride(0), cos.stride(0), sin.stride(0), o.stride(0), ROWS=8, BLOCK=64)
    return o
