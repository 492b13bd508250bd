# about: a clamp left out
# expect: incorrect|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def el_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    y = tl.minimum(tl.maximum(x, 0.0), 6.0) * x
    tl.store(y_ptr + i, y, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        el_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
        return y
