import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def square_sums(x_ptr, part_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(part_ptr + tl.program_id(0), tl.sum(x * x, axis=0))


@triton.jit
def divide(x_ptr, part_ptr, y_ptr, n, parts, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = 0.0
    for start in range(0, parts, BLOCK):
        k = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(part_ptr + k, mask=k < parts, other=0.0), axis=0)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x / tl.sqrt(total), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.numel()
        parts = triton.cdiv(n, 1024)
        part = torch.empty((parts,), device=x.device, dtype=torch.float32)
        y = torch.empty_like(x)
        square_sums[(parts,)](x, part, n, BLOCK=1024)
        divide[(parts,)](x, part, y, n, parts, BLOCK=1024)
        return y
