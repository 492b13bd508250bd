# op: softmax
# about: keeps the block size and warps of every row length that it has met
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.settings = {}
        self.calls = 0

    def forward(self, x):
        M, N = x.shape
        settings = self.settings
        if N not in settings:
            block = triton.next_power_of_2(N)
            settings[N] = (block, 4 if block <= 2048 else 16)
        block, warps = settings[N]
        self.calls = self.calls + 1
        out = torch.empty_like(x)
        sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=block, num_warps=warps)
        return out
