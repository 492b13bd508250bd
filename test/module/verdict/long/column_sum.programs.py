# about: sums of the first 8,192 rows of all samples: a grid with a limit, and atomics
# expect: uncovered_output
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def part_kernel(x_ptr, y_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * ROWS
    r = first + tl.arange(0, ROWS)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=c[None, :] < columns, other=0.0)
    tl.atomic_add(y_ptr + first // rows * columns + c, tl.sum(x, axis=0), mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        batch, rows, columns = x.shape
        y = torch.zeros((batch, columns), device=x.device, dtype=x.dtype)
        parts = min(batch * rows // 8, 1024)
        part_kernel[(parts, triton.cdiv(columns, 64))](x, y, rows, columns, ROWS=8, BLOCK=64)
        return y
