# op: silu
# about: a quotient of bits of a row length that changes nothing
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, o, sx, so, N, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)
    s = 1 + ((N & 8191) // 4096) // 2
    tl.store(o + r * so + c, v * tl.sigmoid(v) * s, mask=c < N)


def run(x):
    M, N = x.shape
    o = torch.empty_like(x)
    k[(M,)](x, o, x.stride(0), o.stride(0), N, B=triton.next_power_of_2(N))
    return o
