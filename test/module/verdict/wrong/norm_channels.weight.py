# about: as many channels as a block has, one half after the other, the weight of the first for both
# expect: incorrect
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, w_ptr, y_ptr, plane, CHANNELS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, CHANNELS)
    inside = at < plane
    place = tl.program_id(1).to(tl.int64) * CHANNELS * plane + channel[:, None] * plane + at[None, :]
    x = tl.load(x_ptr + place, mask=inside[None, :], other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / CHANNELS + 1e-5)
    w = tl.load(w_ptr + channel % (CHANNELS // 2))
    tl.store(y_ptr + place, x * scale[None, :] * w[:, None], mask=inside[None, :])


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        batch, channels, height, width = x.shape
        y = torch.empty_like(x)
        plane = height * width
        norm_kernel[(triton.cdiv(plane, 64), batch)](x, self.weight, y, plane, CHANNELS=channels, BLOCK=64)
        return y
