# expect: ok
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def norm_gelu(x_ptr, w_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    mean = tl.sum(x, axis=0) / n
    d = tl.where(i < n, x - mean, 0.0)
    y = d * tl.rsqrt(tl.sum(d * d, axis=0) / n + 1e-5)
    y = y * tl.load(w_ptr + i, mask=i < n, other=0.0) + tl.load(b_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + row * n + i, 0.5 * y * (1.0 + tl.erf(y * 0.7071067811865476)), mask=i < n)


@triton.jit
def add_mean(y_ptr, x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    y = tl.load(y_ptr + row * n + i, mask=i < n, other=0.0)
    tl.store(out_ptr + row * n + i, y + tl.sum(x, axis=0) / n, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)

    def forward(self, x):
        rows, n = x.shape
        block = triton.next_power_of_2(n)
        y = torch.empty_like(x)
        norm_gelu[(rows,)](x, self.norm.weight, self.norm.bias, y, n, BLOCK=block)
        out = torch.empty_like(x)
        add_mean[(rows,)](torch.softmax(y, dim=-1), y, out, n, BLOCK=block)
        return out
