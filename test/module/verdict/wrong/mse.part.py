# about: the first half is enough
# expect: incorrect|inaccurate|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def partial_kernel(p_ptr, t_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.load(p_ptr + i, mask=i < n, other=0.0) - tl.load(t_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(d * d, axis=0))


@triton.jit
def finish_kernel(part_ptr, out_ptr, parts, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i0 in range(0, parts, BLOCK):
        i = i0 + tl.arange(0, BLOCK)
        total += tl.load(part_ptr + i, mask=i < parts, other=0.0)
    tl.store(out_ptr, tl.sum(total, axis=0) / n)


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        n = predictions.numel()
        parts = triton.cdiv(n, 1024)
        part = torch.empty((parts,), device=predictions.device, dtype=torch.float32)
        out = torch.empty((), device=predictions.device, dtype=torch.float32)
        partial_kernel[(parts,)](predictions, targets, part, n, BLOCK=1024)
        finish_kernel[(1,)](part, out, parts // 2, n // 2, BLOCK=256)
        return out
