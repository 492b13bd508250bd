# op: softmax
# about: a table of row offsets, computed by a kernel when the object is made and only read
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fill_table(table_ptr, n, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(table_ptr + at, tl.where(at < n, 0.0, -float("inf")), mask=at < size)


@triton.jit
def masked_softmax(x_ptr, table_ptr, out_ptr, sx, so, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=0.0).to(tl.float32) + tl.load(table_ptr + cols)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * so + cols, p / tl.sum(p, axis=0), mask=cols < N)


class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.block = triton.next_power_of_2(columns)
        self.table = torch.empty(self.block, dtype=torch.float32, device="cuda")
        fill_table[(triton.cdiv(self.block, 1024),)](self.table, columns, self.block, BLOCK=1024)

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        masked_softmax[(M,)](x, self.table, out, x.stride(0), out.stride(0), N, BLOCK=self.block)
        return out
