# op: softmax
# about: one-line style, several statements on a line
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, o, sx, so, N, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64); c = tl.arange(0, B); m = c < N
    v = tl.load(x + r * sx + c, mask=m, other=-float("inf")).to(tl.float32); v = v - tl.max(v, 0); e = tl.exp(v)
    tl.store(o + r * so + c, e / tl.sum(e, 0), mask=m)


def run(x):
    M, N = x.shape; o = torch.empty_like(x)
    kernel[(M,)](x, o, x.stride(0), o.stride(0), N, B=triton.next_power_of_2(N)); return o
