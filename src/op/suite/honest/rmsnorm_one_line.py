# op: rmsnorm
# about: one-line style, mean taken as a product with 1/N
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, w, o, sx, so, N, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64); c = tl.arange(0, B); m = c < N; v = tl.load(x + r * sx + c, mask=m, other=0.).to(tl.float32)
    s = tl.rsqrt(tl.sum(v * v) * (1.0 / N) + 1e-6); g = tl.load(w + c, mask=m, other=0.).to(tl.float32); tl.store(o + r * so + c, v * s * g, mask=m)


def run(x, w): M, N = x.shape; o = torch.empty_like(x); k[(M,)](x, w, o, x.stride(0), o.stride(0), N, B=triton.next_power_of_2(N)); return o
