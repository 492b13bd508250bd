import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sample_kernel(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(x_ptr + row * n + start + i, mask=start + i < n, other=0.0)
    mean = tl.sum(total, axis=0) / n
    square = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        inside = start + i < n
        d = tl.where(inside, tl.load(x_ptr + row * n + start + i, mask=inside, other=0.0) - mean, 0.0)
        square += d * d
    factor = 1.0 / tl.sqrt(tl.sum(square, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        inside = start + i < n
        x = tl.load(x_ptr + row * n + start + i, mask=inside, other=0.0)
        w = tl.load(w_ptr + start + i, mask=inside, other=0.0)
        b = tl.load(b_ptr + start + i, mask=inside, other=0.0)
        tl.store(y_ptr + row * n + start + i, (x - mean) * factor * w + b, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.ln = nn.LayerNorm(shape)

    def forward(self, x):
        n = x.numel() // x.shape[0]
        y = torch.empty_like(x)
        sample_kernel[(x.shape[0],)](x, self.ln.weight, self.ln.bias, y, n, self.ln.eps, BLOCK=1024)
        return y
