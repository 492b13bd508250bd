import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fused(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, rows, n, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    ok = (row < rows) & (col < n)
    x = tl.load(x_ptr + row * n + col, mask=ok, other=0.0)
    mean = tl.sum(x, axis=1, keep_dims=True) / n
    d = tl.where(ok, x - mean, 0.0)
    var = tl.sum(d * d, axis=1, keep_dims=True) / n
    w = tl.load(w_ptr + col, mask=col < n, other=0.0)
    b = tl.load(b_ptr + col, mask=col < n, other=0.0)
    h = d * tl.rsqrt(var + eps) * w + b
    gelu = 0.5 * h * (1.0 + tl.math.erf(h / 1.4142135623730951))
    tl.store(y_ptr + row * n + col, tl.load(r_ptr + row * n + col, mask=ok, other=0.0) + gelu, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x, residual):
        n = x.shape[-1]
        rows = x.numel() // n
        y = torch.empty_like(x)
        fused[(triton.cdiv(rows, 4),)](x, residual, self.norm.weight, self.norm.bias, y, rows, n, self.norm.eps, ROWS=4,
                                       BLOCK=triton.next_power_of_2(n))
        return y
