# op: silu
# about: a counter that begins again, and two buffers that take turns
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.sigmoid(x)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.first = 0
        self.second = 1

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        self.calls = self.calls + 1
        if self.calls >= 1000:
            self.calls = 0
        self.first, self.second = self.second, self.first
        grid = (M, triton.cdiv(N, 1024))
        silu_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
        return out
