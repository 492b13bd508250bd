# about: divided by what lies inside
# expect: incorrect|inaccurate|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def avgpool_kernel(x_ptr, y_ptr, L, OL, stride, padding, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    count = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(SIZE):
        i = o * stride - padding + k
        count += tl.where((i >= 0) & (i < L), 1.0, 0.0)
        total += tl.load(x_ptr + row * L + i, mask=(o < OL) & (i >= 0) & (i < L), other=0.0)
    tl.store(y_ptr + row * OL + o, total / count, mask=o < OL)


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def forward(self, x):
        batch, channels, L = x.shape
        OL = (L + 2 * self.padding - self.kernel_size) // self.stride + 1
        y = torch.empty((batch, channels, OL), device=x.device, dtype=x.dtype)
        grid = (batch * channels, triton.cdiv(OL, 128))
        avgpool_kernel[grid](x, y, L, OL, self.stride, self.padding, SIZE=self.kernel_size, BLOCK=128)
        return y
