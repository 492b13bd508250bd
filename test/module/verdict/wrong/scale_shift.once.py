# about: one weight for the whole row
# expect: incorrect|inaccurate|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_shift_kernel(x_ptr, scale_ptr, shift_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for i0 in range(0, n, BLOCK):
        i = i0 + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
        scale = tl.load(scale_ptr)
        shift = tl.load(shift_ptr + i, mask=i < n, other=0.0)
        tl.store(y_ptr + row * n + i, x * scale + shift, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(features))
        self.scale = nn.Parameter(torch.ones(features))

    def forward(self, x):
        rows, n = x.shape
        y = torch.empty_like(x)
        scale_shift_kernel[(rows,)](x, self.scale, self.shift, y, n, BLOCK=256)
        return y
