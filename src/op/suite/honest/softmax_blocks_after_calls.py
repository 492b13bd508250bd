# op: softmax
# about: an object keeps a block under the length, from its fourth call on
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.kept = {}

    def forward(self, x):
        M, N = x.shape
        self.calls += 1
        block = triton.next_power_of_2(N)
        if self.calls > 3:
            key = N
            if key not in self.kept:
                self.kept[key] = block
            block = self.kept[key]
        out = torch.empty_like(x)
        softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=block)
        return out
