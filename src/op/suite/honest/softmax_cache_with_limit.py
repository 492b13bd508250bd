# op: softmax
# about: keeps what it has computed for a row length, and starts again when that is too much
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        known = self.known
        if len(known) > 8:
            known = {}
            self.known = known
        key = (N, x.dtype)
        if key not in known:
            known[key] = triton.next_power_of_2(N)
        softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
        return out
