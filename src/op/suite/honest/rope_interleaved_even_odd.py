# op: rope_interleaved
# about: interleaved even odd
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, c_ptr, s_ptr, o_ptr, sx, sc, ss, so, H, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    m = i < H
    x0 = tl.load(x_ptr + r * sx + 2 * i, mask=m, other=0.0).to(tl.float32)
    x1 = tl.load(x_ptr + r * sx + 2 * i + 1, mask=m, other=0.0).to(tl.float32)
    c = tl.load(c_ptr + r * sc + i, mask=m, other=0.0).to(tl.float32)
    s = tl.load(s_ptr + r * ss + i, mask=m, other=0.0).to(tl.float32)
    tl.store(o_ptr + r * so + 2 * i, x0 * c - x1 * s, mask=m)
    tl.store(o_ptr + r * so + 2 * i + 1, x0 * s + x1 * c, mask=m)


def run(x, cos, sin):
    M, D = x.shape
    o = torch.empty_like(x)
    H = D // 2
    k[(M,)](x, cos, sin, o, x.stride(0), cos.stride(0), sin.stride(0), o.stride(0), H, BLOCK=triton.next_power_of_2(H))
    return o
