# op: relu2
# about: an object keeps a grid under its rows, a remainder and a quotient of the length
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.maximum(tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32), 0.0)
    tl.store(out_ptr + row * out_stride + cols, v * v, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.grids = {}

    def forward(self, x):
        M, N = x.shape
        key = (M, N % 4099, N // 4099)
        grid = self.grids.get(key)
        if grid is None:
            grid = (M, triton.cdiv(N, 256))
            self.grids[key] = grid
        out = torch.empty_like(x)
        relu2_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=256)
        return out
