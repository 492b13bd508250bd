import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def rmsnorm_gate_kernel(x_ptr, g_ptr, w_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + row * n + i, mask=mask, other=0.0)
    g = tl.load(g_ptr + row * n + i, mask=mask, other=0.0)
    w = tl.load(w_ptr + i, mask=mask, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    tl.store(y_ptr + row * n + i, x * scale * w * g * tl.sigmoid(g), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x, gate):
        y = torch.empty_like(x)
        rmsnorm_gate_kernel[(x.shape[0],)](x, gate, self.weight, y, x.shape[1], self.eps)
        return y
