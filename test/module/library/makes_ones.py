# expect: no_kernel
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def scaled_relu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, tl.where(i < n, 1.0, 0.0), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.conv = nn.Conv2d(n, m, 3)
        self.pool = nn.MaxPool2d(2)
        self.norm = nn.GroupNorm(4, m)

    def forward(self, x):
        y = self.pool(torch.relu(self.norm(self.conv(x)))) * 0.5
        out = torch.empty_like(y)
        n = y.numel()
        scaled_relu[(triton.cdiv(n, 1024),)](y, out, n, BLOCK=1024)
        return y * out
