# op: layernorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm(x_ptr, w_ptr, b_ptr, y_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    keep = cols < n
    x = tl.load(x_ptr + row * stride + cols, mask=keep, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n
    d = tl.where(keep, x - mean, 0.0)
    r = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    w = tl.load(w_ptr + cols, mask=keep, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=keep, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * n + cols, d * r * w + b, mask=keep)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Parameter(torch.ones(n))
        self.b = torch.nn.Parameter(torch.zeros(n), requires_grad=True)

    def forward(self, x):
        m, n = x.shape
        y = torch.empty((m, n), dtype=x.dtype, device=x.device)
        norm[(m,)](x, self.w, self.b, y, x.stride(0), n, 1e-5, BLOCK=triton.next_power_of_2(n))
        return y
# --- parse_reject: compute on tensors
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Parameter(torch.ones(n))
        self.b = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return x * self.w + self.b
