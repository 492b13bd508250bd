# about: the scale of another column
# expect: incorrect|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, scale_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    scale = tl.load(scale_ptr + (i + 1) % n, mask=i < n, other=0.0)
    tl.store(y_ptr + row * n + i, x * scale, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))

    def forward(self, x):
        rows, n = x.shape
        y = torch.empty_like(x)
        scale_kernel[(rows, triton.cdiv(n, 1024))](x, self.scale, y, n, BLOCK=1024)
        return y
