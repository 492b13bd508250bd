import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def suffix_sums(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    tl.store(y_ptr + row * n + i, tl.cumsum(x, axis=0, reverse=True), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        assert dim == 1

    def forward(self, x):
        y = torch.empty_like(x)
        suffix_sums[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
