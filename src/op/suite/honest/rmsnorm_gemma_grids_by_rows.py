# op: rmsnorm_gemma
# about: an object that was made for weights keeps a grid under the rows
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-6)
    tl.store(out_ptr + row * out_stride + cols, x * r * (1.0 + w), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, N):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(N))
        self.grids = {}

    def forward(self, x):
        M, N = x.shape
        key = M
        if key not in self.grids:
            self.grids[key] = (M,)
        out = torch.empty_like(x)
        block = triton.next_power_of_2(N)
        rmsnorm_kernel[self.grids[key]](x, self.weight, out, x.stride(0), out.stride(0), N, BLOCK=block)
        return out
