# op: softmax
# about: a bound that no row reaches
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, o, sx, so, N, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    m = tl.full((B,), float("-inf"), tl.float32)
    s = tl.full((B,), 0.0, tl.float32)
    E = tl.minimum(N, 600000 + N)
    for b in range(0, N, B):
        c = b + tl.arange(0, B)
        v = tl.load(x + r * sx + c, mask=c < E, other=float("-inf")).to(tl.float32)
        n = tl.maximum(m, v)
        z = tl.where(n == float("-inf"), 0.0, n)
        s = s * tl.exp(m - z) + tl.exp(v - z)
        m = n
    g = tl.max(m, 0)
    t = tl.sum(s * tl.exp(m - g), 0)
    for b in range(0, N, B):
        c = b + tl.arange(0, B)
        v = tl.load(x + r * sx + c, mask=c < N, other=float("-inf")).to(tl.float32)
        tl.store(o + r * so + c, tl.exp(v - g) / t, mask=c < N)


def run(x):
    M, N = x.shape
    o = torch.empty_like(x)
    k[(M,)](x, o, x.stride(0), o.stride(0), N, B=1024)
    return o
