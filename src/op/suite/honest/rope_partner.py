# op: rope
# about: every lane loads its partner from the other half and picks the sign with where
# attack: A66
import torch
import triton
import triton.language as tl


@triton.jit
def rope_partner(x_ptr, cos_ptr, sin_ptr, o_ptr, sx, sc, ss, so, D, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    half = D // 2
    i = tl.arange(0, BLOCK)
    mask = i < D
    partner = tl.where(i < half, i + half, i - half)
    sign = tl.where(i < half, -1.0, 1.0)
    x = tl.load(x_ptr + row * sx + i, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(x_ptr + row * sx + partner, mask=mask, other=0.0).to(tl.float32) * sign
    c = tl.load(cos_ptr + row * sc + i, mask=mask, other=0.0).to(tl.float32)
    s = tl.load(sin_ptr + row * ss + i, mask=mask, other=0.0).to(tl.float32)
    tl.store(o_ptr + row * so + i, x * c + r * s, mask=mask)


def run(x, cos, sin):
    M, D = x.shape
    o = torch.empty_like(x)
    rope_partner[(M,)](x, cos, sin, o, x.stride(0), cos.stride(0), sin.stride(0), o.stride(0), D, BLOCK=triton.next_power_of_2(D))
    return o
