# about: exponentials without the maximum: overflow above 88
# expect: nan_class|incorrect
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i0 in range(0, n, BLOCK):
        i = i0 + tl.arange(0, BLOCK)
        acc += tl.exp(tl.load(x_ptr + row * n + i, mask=i < n, other=-float("inf")))
    s = tl.sum(acc, axis=0)
    for i0 in range(0, n, BLOCK):
        i = i0 + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
        tl.store(y_ptr + row * n + i, tl.exp(x) / s, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        y = torch.empty_like(x)
        softmax_kernel[(rows,)](x, y, n, BLOCK=256)
        return y
