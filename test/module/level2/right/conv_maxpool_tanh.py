# library: all
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pool_tanh(x_ptr, y_ptr, H, W, OH, OW, POOL: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = o < OH * OW
    first = x_ptr + plane * H * W + o // OW * POOL * W + o % OW * POOL
    best = tl.load(first, mask=ok, other=0.0)
    for k in tl.static_range(1, POOL * POOL):
        x = tl.load(first + k // POOL * W + k % POOL, mask=ok, other=0.0)
        best = tl.maximum(best, x, propagate_nan=tl.PropagateNan.ALL)
    # tanh(x) = sign(x) (1 - 2 / (e^2|x| + 1))
    t = 1.0 - 2.0 / (tl.exp(2.0 * tl.abs(best)) + 1.0)
    tl.store(y_ptr + plane * OH * OW + o, tl.where(best < 0.0, -t, t), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, pool):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.size = pool

    def forward(self, x):
        x = self.conv(x)
        N, C, H, W = x.shape
        OH, OW = H // self.size, W // self.size
        y = torch.empty((N, C, OH, OW), device=x.device, dtype=x.dtype)
        pool_tanh[(N * C, triton.cdiv(OH * OW, 128))](x, y, H, W, OH, OW, POOL=self.size, BLOCK=128)
        return y
