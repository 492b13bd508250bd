# op: l2norm
# about: statistics in a dictionary and the longest row so far
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def l2norm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_row + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    scale = tl.rsqrt(tl.sum(squares, axis=0) + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_row + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, x * scale, mask=cols < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.stats = {"calls": 0, "rows": 0}
        self.longest = 0

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        stats = self.stats
        stats["calls"] = stats["calls"] + 1
        stats["rows"] = stats["rows"] + M
        self.longest = max(self.longest, N)
        l2norm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
        return out
