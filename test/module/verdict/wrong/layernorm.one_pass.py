# about: the variance as a difference of means, which cancels for a large mean
# expect: incorrect|inaccurate|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    mean = tl.sum(x, axis=0) / n
    d = tl.where(i < n, x - mean, 0.0)
    var = tl.sum(x * x, axis=0) / n - mean * mean
    w = tl.load(w_ptr + i, mask=i < n, other=0.0)
    b = tl.load(b_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + row * n + i, d / tl.sqrt(var + eps) * w + b, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x):
        n = x.shape[-1]
        rows = x.numel() // n
        y = torch.empty_like(x)
        layernorm_kernel[(rows,)](x, self.ln.weight, self.ln.bias, y, n, self.ln.eps, BLOCK=triton.next_power_of_2(n))
        return y
