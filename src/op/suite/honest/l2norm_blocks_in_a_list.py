# op: l2norm
# about: an object looks through a list of pairs for the length
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def l2norm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) + 1e-6)
    tl.store(out_ptr + row * out_stride + cols, x * scale, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = []

    def forward(self, x):
        M, N = x.shape
        block = 0
        for known in self.known:
            if known[0] == N:
                block = known[1]
        if block == 0:
            block = triton.next_power_of_2(N)
            self.known.append((N, block))
        out = torch.empty_like(x)
        l2norm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=block)
        return out
