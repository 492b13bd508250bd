import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, mean_ptr, n, BLOCK: tl.constexpr):
    plane = tl.program_id(0).to(tl.int64)
    total = 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + plane * n + i, mask=i < n, other=0.0), axis=0)
    tl.store(mean_ptr + plane, total / n)


@triton.jit
def center_and_scale(x_ptr, mean_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    plane = tl.program_id(0).to(tl.int64)
    mean = tl.load(mean_ptr + plane)
    var = 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.where(i < n, tl.load(x_ptr + plane * n + i, mask=i < n, other=0.0) - mean, 0.0)
        var += tl.sum(d * d, axis=0)
    inv = 1.0 / tl.sqrt(var / n + eps)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + plane * n + i, mask=i < n, other=0.0)
        tl.store(y_ptr + plane * n + i, (x - mean) * inv, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.features = features
        self.eps = eps

    def forward(self, x):
        planes, n = x.shape[0] * x.shape[1], x.shape[2] * x.shape[3]
        mean = torch.empty(planes, device=x.device, dtype=torch.float32)
        y = torch.empty_like(x)
        mean_kernel[(planes,)](x, mean, n, BLOCK=512)
        center_and_scale[(planes,)](x, mean, y, n, self.eps, BLOCK=512)
        return y
