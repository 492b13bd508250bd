# op: rmsnorm_gemma
# about: a workspace that grows and is kept, filled anew in every call
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fold(w_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(out_ptr + cols, 1.0 + w, mask=cols < N)


@triton.jit
def norm(x_ptr, f_ptr, y_ptr, N, sx, sy, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(x * x) / N + 1e-6)
    tl.store(y_ptr + row * sy + cols, x * r * tl.load(f_ptr + cols, mask=mask, other=0.0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.folded = None

    def forward(self, x, w):
        M, N = x.shape
        if self.folded is None or self.folded.shape[0] < N:
            self.folded = torch.empty((triton.next_power_of_2(N),), dtype=torch.float32, device=x.device)
        fold[(triton.cdiv(N, 1024),)](w, self.folded, N, BLOCK=1024)
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        norm[(M,)](x, self.folded, y, N, x.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(N))
        return y
