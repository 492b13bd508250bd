# op: cumsum
# about: an object remembers the block of the last length, and takes a difference for the test
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, tl.cumsum(x, axis=0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = -1
        self.block = 0

    def forward(self, x):
        M, N = x.shape
        away = self.last - N
        if away < 0 or away > 0:
            self.last = N
            self.block = triton.next_power_of_2(N)
        out = torch.empty_like(x)
        cumsum_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=self.block)
        return out
