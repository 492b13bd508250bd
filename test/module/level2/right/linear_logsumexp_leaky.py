# library: all
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def logsumexp_tail(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=-float("inf"))
    top = tl.max(x, axis=0)
    top = tl.where(tl.abs(top) == float("inf"), 0.0, top)
    y = top + tl.log(tl.sum(tl.exp(x - top), axis=0))
    y = tl.where(y >= 0.0, y, 0.01 * y)
    y = 0.5 * y * (1.0 + tl.erf(y * 0.7071067811865476))
    tl.store(y_ptr + row, y)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        h = self.linear(x)
        y = torch.empty((h.shape[0], 1), device=h.device, dtype=h.dtype)
        logsumexp_tail[(h.shape[0],)](h, y, h.shape[1], BLOCK=triton.next_power_of_2(h.shape[1]))
        return y
