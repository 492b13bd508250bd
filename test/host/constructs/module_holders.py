# op: layernorm
import math

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
        self.ln = nn.LayerNorm(n, eps=1e-5)
        self.register_buffer("unused", None, persistent=False)
        nn.init.normal_(self.ln.weight, std=1.0 / math.sqrt(n))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.ln.weight)
        self.ln.bias.data.zero_()

    def forward(self, x):
        m, n = x.shape
        assert self.ln.normalized_shape == (n,)
        y = torch.empty((m, n), dtype=x.dtype, device=x.device)
        norm[(m,)](x, self.ln.weight, self.ln.bias, y, x.stride(0), n, self.ln.eps, BLOCK=triton.next_power_of_2(n))
        return y
# --- parse_reject: nn.LayerNorm computes on tensors
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.ln = nn.LayerNorm(n)

    def forward(self, x):
        return self.ln(x)
# --- host_error: are left over
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.ln = nn.LayerNorm(n, bias=False)

    def forward(self, x):
        return x
# --- unsupported: .init
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.ln = nn.LayerNorm(n)

    def forward(self, x):
        nn.init.ones_(self.ln.weight)
        return x
# --- unsupported: .init
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.ln = nn.LayerNorm(n)
        self.kept = torch.empty(n, device="cuda")
        nn.init.ones_(self.kept)

    def forward(self, x):
        return x
