# op: silu
# about: a counter in a tensor that no value follows from
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x, o, n, sx, so, N, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)
    tl.store(o + r * so + c, v * tl.sigmoid(v), mask=c < N)


@triton.jit
def up(n):
    tl.store(n, tl.load(n) + 1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = None

    def forward(self, x):
        M, N = x.shape
        if self.n is None:
            self.n = torch.zeros((1,), dtype=torch.int32, device=x.device)
        o = torch.empty_like(x)
        k[(M,)](x, o, self.n, x.stride(0), o.stride(0), N, B=triton.next_power_of_2(N))
        up[(1,)](self.n)
        return o
