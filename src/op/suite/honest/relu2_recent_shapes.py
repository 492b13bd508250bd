# op: relu2
# about: the last six shapes, in the order of their last use
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.maximum(x, 0.0)
    y = r * r
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.recent = []

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        recent = [s for s in self.recent if s != (M, N)]
        recent.append((M, N))
        if len(recent) > 6:
            recent.pop(0)
        self.recent = recent
        grid = (M, triton.cdiv(N, 1024))
        relu2_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
        return out
