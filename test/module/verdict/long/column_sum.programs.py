# about: sums of the first 8,192 rows of all samples: a grid with a limit, and atomics
# expect: uncovered_output
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def part(x_ptr, y_ptr, total, rows, columns, R: tl.constexpr, C: tl.constexpr):
    first = tl.program_id(0) * R
    c = tl.program_id(1) * C + tl.arange(0, C)
    for j in range(R):
        r = first + j
        x = tl.load(x_ptr + r * columns + c, mask=(r < total) & (c < columns), other=0.0)
        tl.atomic_add(y_ptr + r // rows * columns + c, x, mask=(r < total) & (c < columns))

class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        batch, rows, columns = x.shape
        y = torch.zeros((batch, columns), device=x.device, dtype=x.dtype)
        part[(min(triton.cdiv(batch * rows, 16), 512), triton.cdiv(columns, 64))](x, y, batch * rows, rows, columns, R=16, C=64)
        return y
