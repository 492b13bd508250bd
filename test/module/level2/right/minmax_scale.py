import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def spread(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    low = tl.min(tl.where(i < n, x, float("inf")), axis=0)
    high = tl.max(tl.where(i < n, x, -float("inf")), axis=0)
    tl.store(y_ptr + row * n + i, (x - low) / (high - low + 0.1), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        spread[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
