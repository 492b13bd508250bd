import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, per_group, plane, size, groups, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    base = g.to(tl.int64) * size
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        i = start + lanes
        total += tl.load(x_ptr + base + i, mask=i < size, other=0.0)
    mean = tl.sum(total) / size
    square = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        i = start + lanes
        d = tl.where(i < size, tl.load(x_ptr + base + i, mask=i < size, other=0.0) - mean, 0.0)
        square += d * d
    scale = tl.rsqrt(tl.sum(square) / size + eps)
    for start in range(0, size, BLOCK):
        i = start + lanes
        channel = (g % groups) * per_group + i // plane
        x = tl.load(x_ptr + base + i, mask=i < size, other=0.0)
        w = tl.load(w_ptr + channel, mask=i < size, other=0.0)
        b = tl.load(b_ptr + channel, mask=i < size, other=0.0)
        tl.store(y_ptr + base + i, (x - mean) * scale * w + b, mask=i < size)


class ModelNew(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.gn = nn.GroupNorm(groups, channels)

    def forward(self, x):
        N, C, H, W = x.shape
        groups = self.gn.num_groups
        per_group = C // groups
        y = torch.empty_like(x)
        group_norm_kernel[(N * groups,)](x, self.gn.weight, self.gn.bias, y, per_group, H * W, per_group * H * W, groups,
                                         self.gn.eps, BLOCK=1024)
        return y
