import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def max_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    for i0 in range(0, n, BLOCK):
        i = i0 + tl.arange(0, BLOCK)
        best = tl.maximum(best, tl.load(x_ptr + row * n + i, mask=i < n, other=float("-inf")))
    tl.store(y_ptr + row, tl.max(best, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        y = torch.empty((rows,), device=x.device, dtype=x.dtype)
        max_kernel[(rows,)](x, y, n, BLOCK=256)
        return y
