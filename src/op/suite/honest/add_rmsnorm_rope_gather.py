# op: add_rmsnorm_rope
# about: the partner of every normalised element comes from tl.gather, not from a second load
import torch
import triton
import triton.language as tl


@triton.jit
def fused_kernel(x_ptr, r_ptr, w_ptr, c_ptr, s_ptr, y_ptr, sx, sr, sc, ss, sy, D, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BLOCK)
    mask = d < D
    half = D // 2
    h = tl.load(x_ptr + row * sx + d, mask=mask, other=0.0).to(tl.float32)
    h += tl.load(r_ptr + row * sr + d, mask=mask, other=0.0).to(tl.float32)
    h *= tl.rsqrt(tl.sum(h * h, axis=0) / D + 1e-6)
    h *= tl.load(w_ptr + d, mask=mask, other=0.0).to(tl.float32)
    first = d < half
    partner = tl.where(first, d + half, d - half)
    partner = tl.where(mask, partner, 0)
    rotated = tl.gather(h, partner, axis=0)
    rotated = tl.where(first, -rotated, rotated)
    c = tl.load(c_ptr + row * sc + d, mask=mask, other=0.0).to(tl.float32)
    s = tl.load(s_ptr + row * ss + d, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * sy + d, h * c + rotated * s, mask=mask)


def run(x, residual, w, cos, sin):
    M, D = x.shape
    y = torch.empty_like(x)
    strides = [t.stride(0) for t in (x, residual, cos, sin, y)]
    fused_kernel[(M,)](x, residual, w, cos, sin, y, *strides, D, BLOCK=triton.next_power_of_2(D))
    return y
