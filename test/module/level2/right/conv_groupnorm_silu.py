# library: all
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def statistics(x_ptr, mean_ptr, rstd_ptr, size, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        total += tl.load(x_ptr + g * size + start + lanes, mask=start + lanes < size, other=0.0)
    mean = tl.sum(total) / size
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        x = tl.load(x_ptr + g * size + start + lanes, mask=start + lanes < size, other=0.0)
        squares += tl.where(start + lanes < size, (x - mean) * (x - mean), 0.0)
    tl.store(mean_ptr + g, mean)
    tl.store(rstd_ptr + g, tl.rsqrt(tl.sum(squares) / size + eps))


@triton.jit
def normalize_silu(x_ptr, mean_ptr, rstd_ptr, w_ptr, b_ptr, y_ptr, channels, per_group, plane, BLOCK: tl.constexpr):
    nc = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    c = nc % channels
    group = nc // per_group
    x = tl.load(x_ptr + nc * plane + i, mask=i < plane, other=0.0)
    y = (x - tl.load(mean_ptr + group)) * tl.load(rstd_ptr + group) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(y_ptr + nc * plane + i, y / (1.0 + tl.exp(-y)), mask=i < plane)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=1)
        self.norm = nn.GroupNorm(groups, out_channels)

    def forward(self, x):
        x = self.conv(x).contiguous()
        N, C, H, W = x.shape
        G = self.norm.num_groups
        mean = torch.empty(N * G, device=x.device, dtype=torch.float32)
        rstd = torch.empty_like(mean)
        y = torch.empty_like(x)
        statistics[(N * G,)](x, mean, rstd, C // G * H * W, self.norm.eps, BLOCK=512)
        normalize_silu[(N * C, triton.cdiv(H * W, 512))](x, mean, rstd, self.norm.weight, self.norm.bias, y, C, C // G,
                                                         H * W, BLOCK=512)
        return y
