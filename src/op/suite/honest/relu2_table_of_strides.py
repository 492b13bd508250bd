# op: relu2
# about: a table of the object holds the distance between rows by shape, dtype and that distance
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
        self.known = []

    def forward(self, x):
        key, stride = (x.shape, x.stride(0), x.dtype), -1
        for k in self.known:
            if k[0] == key:
                stride = k[1]
        if stride < 0:
            stride = x.stride(0)
            self.known.append((key, stride))
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        relu2_kernel[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), x.shape[1], stride, BLOCK=512)
        return out
