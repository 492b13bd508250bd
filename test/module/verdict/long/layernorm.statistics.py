# about: mean and variance of the first 2,048 rows of all samples alone
# expect: incorrect|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def stats(x_ptr, m_ptr, v_ptr, rows, n, TURNS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for t in range(TURNS):
        row = tl.program_id(0) + t * 256
        x = tl.load(x_ptr + row * n + i, mask=(i < n) & (row < rows), other=0.0)
        mean = tl.sum(x, axis=0) / n
        d = tl.where(i < n, x - mean, 0.0)
        tl.store(m_ptr + row, mean, mask=row < rows)
        tl.store(v_ptr + row, tl.sum(d * d, axis=0) / n, mask=row < rows)

@triton.jit
def norm(x_ptr, m_ptr, v_ptr, w_ptr, b_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    d = x - tl.load(m_ptr + row)
    w = tl.load(w_ptr + i, mask=i < n, other=0.0)
    b = tl.load(b_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + row * n + i, d / tl.sqrt(tl.load(v_ptr + row) + eps) * w + b, mask=i < n)

class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x):
        n = x.shape[-1]
        rows = x.numel() // n
        y = torch.empty_like(x)
        m = torch.zeros((rows,), device=x.device, dtype=x.dtype)
        v = torch.zeros((rows,), device=x.device, dtype=x.dtype)
        B = triton.next_power_of_2(n)
        stats[(256,)](x, m, v, rows, n, TURNS=8, BLOCK=B)
        norm[(rows,)](x, m, v, self.ln.weight, self.ln.bias, y, n, self.ln.eps, BLOCK=B)
        return y
