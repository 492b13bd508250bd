import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_add_mul(x_ptr, y_ptr, out_ptr, n, eps, BLOCK: tl.constexpr):
    base = tl.program_id(0) * n
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + base + i, mask=i < n, other=0.0)
    y = tl.load(y_ptr + base + i, mask=i < n, other=0.0)
    d = tl.where(i < n, x - tl.sum(x, axis=0) / n, 0.0)
    d = d / tl.sqrt_rn(tl.sum(d * d, axis=0) / n + eps)
    tl.store(out_ptr + base + i, (d + y) * y, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()

    def forward(self, x, y):
        planes, n = x.shape[0] * x.shape[1], x.shape[2] * x.shape[3]
        out = torch.empty_like(x)
        norm_add_mul[(planes,)](x, y, out, n, 1e-5, BLOCK=triton.next_power_of_2(n), num_warps=8)
        return out
