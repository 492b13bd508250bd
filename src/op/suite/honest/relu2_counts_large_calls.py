# op: relu2
# expect: ok
# about: counts large calls, which decides about nothing
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x, o, sx, so, N, f, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)
    y = tl.maximum(v, 0.0) * tl.maximum(v, 0.0)
    tl.store(o + r * so + c, y * f, mask=c < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0

    def forward(self, x):
        M, N = x.shape
        o = torch.empty_like(x)
        k[(M,)](x, o, x.stride(0), o.stride(0), N, 1 + 0 * self.n, B=triton.next_power_of_2(N))
        self.n += min(1, (M * N) >> 14)
        return o
