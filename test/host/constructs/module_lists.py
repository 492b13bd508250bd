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
        self.norms = nn.ModuleList([nn.LayerNorm(n, eps=1e-5) for _ in range(1)])

    def forward(self, x):
        m, n = x.shape
        for ln in self.norms:
            y = torch.empty((m, n), dtype=x.dtype, device=x.device)
            norm[(m,)](x, ln.weight, ln.bias, y, x.stride(0), n, ln.eps, BLOCK=triton.next_power_of_2(n))
        assert len(self.norms) == 1 and self.norms[-1].eps == 1e-5 and [i for i, _ in enumerate(self.norms)] == [0]
        return y
# --- uncovered_output: unwritten
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
        self.norms = nn.ModuleList([nn.LayerNorm(n, eps=1e-5) for _ in range(1)])

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        for ln in [k for k in self.norms if k.eps > 1]:
            y = torch.empty((m, n), dtype=x.dtype, device=x.device)
            norm[(m,)](x, ln.weight, ln.bias, y, x.stride(0), n, ln.eps, BLOCK=triton.next_power_of_2(n))
        assert len(self.norms) == 1 and self.norms[-1].eps == 1e-5 and [i for i, _ in enumerate(self.norms)] == [0]
        return y
# --- parse_reject: nn.LayerNorm computes on tensors
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n)])

    def forward(self, x):
        return self.norms[0](x)
# --- unsupported: .ModuleList
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n)])
        self.norms.append(3)

    def forward(self, x):
        return x
# --- unsupported: .ModuleList
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n), 3])

    def forward(self, x):
        return x
# --- unsupported: .ModuleList
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n)])
        self.norms[0] = 3

    def forward(self, x):
        return x
# --- unsupported: .ModuleList
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n)])

    def forward(self, x):
        return x if self.norms == [self.norms[0]] else None
# --- unsupported: .ModuleList
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n)])
        self.norms = [3]

    def forward(self, x):
        return x
# --- host_error: are left over
import torch
import torch.nn as nn
import triton


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(n, bias=False)])

    def forward(self, x):
        return x
