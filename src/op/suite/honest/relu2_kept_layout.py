# op: relu2
# about: shape, dtype and stride of the last call are kept, and asked for again where any of them changed
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, n, N, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    v = tl.maximum(tl.load(x_ptr + at // N * stride + at % N, mask=mask, other=0.0).to(tl.float32), 0.0)
    tl.store(out_ptr + at, v * v, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.shape, self.dtype, self.stride = None, None, 0

    def forward(self, x):
        if self.shape != x.shape or self.dtype != x.dtype or self.stride != x.stride(0):
            self.shape, self.dtype, self.stride = x.shape, x.dtype, x.stride(0)
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        relu2_kernel[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), x.shape[1], self.stride, BLOCK=512)
        return out
