# op: add_layernorm
# about: no run: a module as benchmarks want it, made with the row's length; its parameters are the weights
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_layernorm_kernel(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, sx, sr, sy, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
    h = x + tl.load(r_ptr + row * sr + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(h, axis=0) / N
    d = tl.where(mask, h - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=0) / N + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * sy + cols, (d * rstd * w + b).to(y_ptr.dtype.element_ty), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-5):
        super(ModelNew, self).__init__()
        self.hidden_size = hidden_size
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        M, N = x.shape
        assert N == self.hidden_size
        y = torch.empty_like(x)
        BLOCK = triton.next_power_of_2(N)
        warps = 4 if BLOCK <= 2048 else 16 if BLOCK > 8192 else 8
        add_layernorm_kernel[(M,)](
            x, residual, self.weight, self.bias, y, x.stride(0), residual.stride(0), y.stride(0), N, self.eps,
            BLOCK=BLOCK, num_warps=warps,
        )
        return y
