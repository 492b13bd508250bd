# op: log_softmax
# about: the first calls are told apart, and warn once
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    shifted = x - tl.max(x, axis=0)
    y = shifted - tl.log(tl.sum(tl.exp(shifted), axis=0))
    tl.store(out_ptr + row * out_stride + cols, y, mask=cols < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.warm = False

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        self.calls = min(self.calls + 1, 10)
        if self.calls <= 3:
            self.warm = False
        elif not self.warm:
            self.warm = True
            print("warm")
        log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
        return out
