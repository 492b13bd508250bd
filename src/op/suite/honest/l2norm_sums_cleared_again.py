# op: l2norm
# about: keeps sums of squares in its object; whoever has used one clears it for the next call
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_squares(x_ptr, sum_ptr, N, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row.to(tl.int64) * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(sum_ptr + row, tl.sum(x * x))


@triton.jit
def scale_row(x_ptr, sum_ptr, y_ptr, N, x_stride, y_stride, CLEAR: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.load(sum_ptr + row)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(y_ptr + row.to(tl.int64) * y_stride + cols, x * tl.rsqrt(total + 1e-6), mask=cols < N)
    if CLEAR:
        tl.debug_barrier()
        tl.store(sum_ptr + row, 0.0)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = torch.zeros(131072, dtype=torch.float32, device="cuda")

    def forward(self, x):
        M, N = x.shape
        if M > 131072:
            raise ValueError("at most 131,072 rows")
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        add_squares[(M, triton.cdiv(N, 1024))](x, self.sums, N, x.stride(0), BLOCK=1024)
        scale_row[(M,)](x, self.sums, y, N, x.stride(0), y.stride(0), CLEAR=True, BLOCK=1024)
        return y
