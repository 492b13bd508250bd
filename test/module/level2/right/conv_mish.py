# library: all
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mish(x):
    # tanh(log(1 + e^x)) = t / (t + 2) with t = e^x (e^x + 2), from x = 20 on 1 in float32
    e = tl.exp(tl.minimum(x, 20.0))
    t = e * (e + 2.0)
    return x * t / (t + 2.0)


@triton.jit
def subtract_mish(x_ptr, n, subtract, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(x_ptr + i, mish(x - subtract), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, subtract):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.subtract = subtract

    def forward(self, x):
        y = self.conv(x)
        subtract_mish[(triton.cdiv(y.numel(), 1024),)](y, y.numel(), self.subtract, BLOCK=1024)
        return y
