# library: all
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def min_subtract(x_ptr, c_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.load(c_ptr)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, tl.minimum(x, c, propagate_nan=tl.PropagateNan.ALL) - c, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.constant = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        h = self.linear(x)
        y = torch.empty_like(h)
        n = h.numel()
        min_subtract[(triton.cdiv(n, 512),)](h, self.constant, y, n, BLOCK=512)
        return y
