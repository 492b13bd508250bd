# op: qknorm_rope
# about: reciprocal roots of all rows first, then an element-wise kernel over tiles
import torch
import triton
import triton.language as tl


@triton.jit
def rstd_kernel(x_ptr, rstd_ptr, stride, D, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for off in range(0, D, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + row.to(tl.int64) * stride + cols, mask=cols < D, other=0.0).to(tl.float32)
        acc += v * v
    tl.store(rstd_ptr + row, 1.0 / tl.sqrt(tl.sum(acc, axis=0) / D + eps))


@triton.jit
def rope_kernel(x_ptr, rstd_ptr, w_ptr, c_ptr, s_ptr, y_ptr, sx, sc, ss, sy, D, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = col < D
    half = D // 2
    partner = tl.where(col < half, col + half, col - half)
    sign = tl.where(col < half, -1.0, 1.0)
    rstd = tl.load(rstd_ptr + row)
    w = tl.load(w_ptr + col, mask=mask, other=0.0).to(tl.float32)
    w_partner = tl.load(w_ptr + partner, mask=mask, other=0.0).to(tl.float32)
    x = tl.load(x_ptr + row * sx + col, mask=mask, other=0.0).to(tl.float32)
    x_partner = tl.load(x_ptr + row * sx + partner, mask=mask, other=0.0).to(tl.float32)
    c = tl.load(c_ptr + row * sc + col, mask=mask, other=0.0).to(tl.float32)
    s = tl.load(s_ptr + row * ss + col, mask=mask, other=0.0).to(tl.float32)
    y = (x * rstd * w) * c + sign * (x_partner * rstd * w_partner) * s
    tl.store(y_ptr + row * sy + col, y, mask=mask)


def run(x, w, cos, sin):
    M, D = x.shape
    assert D % 2 == 0, f"head size {D} is odd"
    rstd = torch.empty((M,), device=x.device, dtype=torch.float32)
    y = torch.empty_like(x)
    rstd_kernel[(M,)](x, rstd, x.stride(0), D, 1e-6, BLOCK=128)
    rope_kernel[(M, triton.cdiv(D, 128))](
        x, rstd, w, cos, sin, y, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), D, BLOCK=128
    )
    return y
