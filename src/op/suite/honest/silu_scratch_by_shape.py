# op: silu
# about: an object keeps scratch memory under its shape
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def widen_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v, mask=mask)


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * tl.sigmoid(v), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = {}

    def forward(self, x):
        M, N = x.shape
        key = (M, N)
        if key not in self.scratch:
            self.scratch[key] = torch.empty((M, N), dtype=torch.float32, device=x.device)
        wide = self.scratch[key]
        out = torch.empty_like(x)
        blocks = triton.cdiv(N, 256)
        widen_kernel[(M, blocks)](x, wide, x.stride(0), wide.stride(0), N, BLOCK=256)
        silu_kernel[(M, blocks)](wide, out, wide.stride(0), out.stride(0), N, BLOCK=256)
        return out
