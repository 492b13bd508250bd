# op: gelu
# about: counts calls and elements, and says so now and then
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    t = 2.0 * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)) - 1.0
    y = 0.5 * x * (1.0 + t)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.elements = 0

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        self.calls = self.calls + 1
        self.elements = self.elements + M * N
        if self.calls % 500 == 0:
            print("calls", self.calls, "elements", self.elements)
        grid = (M, triton.cdiv(N, 1024))
        gelu_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
        return out
