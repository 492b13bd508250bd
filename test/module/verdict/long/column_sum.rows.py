# about: rows behind the 256th are left out
# expect: incorrect|inaccurate
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def column_sum_kernel(x_ptr, y_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    batch = tl.program_id(0)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    acc = tl.zeros((BLOCK_R, BLOCK_C), dtype=tl.float32)
    for r0 in range(0, 256, BLOCK_R):
        r = r0 + tl.arange(0, BLOCK_R)
        mask = (r[:, None] < rows) & (c[None, :] < columns)
        acc += tl.load(x_ptr + (batch * rows + r[:, None]) * columns + c[None, :], mask=mask, other=0.0)
    tl.store(y_ptr + batch * columns + c, tl.sum(acc, axis=0), mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        batch, rows, columns = x.shape
        y = torch.empty((batch, columns), device=x.device, dtype=x.dtype)
        column_sum_kernel[(batch, triton.cdiv(columns, 64))](x, y, rows, columns, BLOCK_R=16, BLOCK_C=64)
        return y
