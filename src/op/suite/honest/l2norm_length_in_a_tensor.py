# op: l2norm
# about: a tensor keeps the length of the last rows, which kernels alone look at
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def note_kernel(tab_ptr, at, need):
    tl.store(tab_ptr + at, need)


@triton.jit
def l2norm_kernel(x_ptr, out_ptr, tab_ptr, at, x_stride, out_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    N = tl.load(tab_ptr + at)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = v * tl.rsqrt(tl.sum(v * v, axis=0) + 1e-6)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.tab = None

    def forward(self, x):
        M, N = x.shape
        if self.tab is None:
            self.tab = torch.zeros((4096,), dtype=torch.int32, device=x.device)
        out = torch.empty_like(x)
        note_kernel[(1,)](self.tab, 0, N)
        l2norm_kernel[(M,)](x, out, self.tab, 0, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(N))
        return out
