# op: silu
# expect: ok
# about: in call 300 it forgets what it has kept of shapes, and computes anew
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x, o, sx, so, N, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)
    y = v * tl.sigmoid(v)
    tl.store(o + r * so + c, y, mask=c < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0
        self.block = {}

    def forward(self, x):
        M, N = x.shape
        self.n += 1
        if self.n == 300:
            self.block = {}
        if N not in self.block:
            self.block[N] = triton.next_power_of_2(N)
        o = torch.empty_like(x)
        k[(M,)](x, o, x.stride(0), o.stride(0), N, B=self.block[N])
        return o
