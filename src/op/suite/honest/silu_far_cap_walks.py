# op: silu
# about: at most 90,001 programs, each with a loop over the rows that remain
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, o, sx, so, M, N, B: tl.constexpr):
    c = tl.arange(0, B)
    for q in range(tl.program_id(0), M, tl.num_programs(0)):
        r = q.to(tl.int64)
        v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)
        tl.store(o + r * so + c, v * tl.sigmoid(v), mask=c < N)


def run(x):
    M, N = x.shape
    o = torch.empty_like(x)
    k[(min(M, 90001),)](x, o, x.stride(0), o.stride(0), M, N, B=triton.next_power_of_2(N))
    return o
