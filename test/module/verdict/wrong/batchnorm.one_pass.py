# about: the variance as a difference of means, of channels
# expect: inaccurate|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def statistics_kernel(x_ptr, mean_ptr, var_ptr, batch, channels, plane, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    square = tl.zeros((BLOCK,), dtype=tl.float32)
    for b in range(0, batch):
        for p0 in range(0, plane, BLOCK):
            p = p0 + i
            x = tl.load(x_ptr + (b * channels + c) * plane + p, mask=p < plane, other=0.0)
            total += x
            square += x * x
    mean = tl.sum(total, axis=0) / (batch * plane)
    tl.store(mean_ptr + c, mean)
    tl.store(var_ptr + c, tl.sum(square, axis=0) / (batch * plane) - mean * mean)


@triton.jit
def normalize_kernel(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, y_ptr, channels, plane, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = row % channels
    mean = tl.load(mean_ptr + c)
    factor = tl.load(w_ptr + c) / tl.sqrt(tl.load(var_ptr + c) + eps)
    shift = tl.load(b_ptr + c)
    for p0 in range(0, plane, BLOCK):
        p = p0 + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * plane + p, mask=p < plane, other=0.0)
        tl.store(y_ptr + row * plane + p, (x - mean) * factor + shift, mask=p < plane)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        batch, channels, height, width = x.shape
        plane = height * width
        mean = torch.empty((channels,), device=x.device, dtype=x.dtype)
        var = torch.empty((channels,), device=x.device, dtype=x.dtype)
        y = torch.empty_like(x)
        statistics_kernel[(channels,)](x, mean, var, batch, channels, plane, BLOCK=128)
        normalize_kernel[(batch * channels,)](
            x, mean, var, self.bn.weight, self.bn.bias, y, channels, plane, self.bn.eps, BLOCK=128
        )
        return y
