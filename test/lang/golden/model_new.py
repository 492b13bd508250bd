# functions: fused_gelu_kernel
import math
from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl

_SQRT_2_OVER_PI = tl.constexpr(0.7978845608028654)
BLOCK: tl.constexpr = 1024


@triton.jit
def fused_gelu_kernel(x_ptr, bias_ptr, out_ptr, n_elements, n_cols, APPROX: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n_elements
    x = tl.load(x_ptr + offs, mask=mask).to(tl.float32) + tl.load(bias_ptr + offs % n_cols, mask=mask)
    if APPROX:
        inner = _SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)
        y = 0.5 * x * (1 + 2 * tl.sigmoid(2 * inner) - 1)
    else:
        y = 0.5 * x * (1. + tl.math.erf(x * 0.70710678118654752440))
    tl.store(out_ptr + offs, y, mask=mask)


class _FusedGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias, approx=True):
        out = torch.empty_like(x)
        n = x.numel()
        with torch.cuda.device(x.device):
            fused_gelu_kernel[(triton.cdiv(n, 1024),)](x, bias, out, n, x.shape[-1], approx, BLOCK_SIZE=1024, num_warps=4)
        ctx.save_for_backward(x, bias)
        ctx.approx = approx
        return out

    @staticmethod
    def backward(ctx, *grads):
        x, bias = ctx.saved_tensors
        raise NotImplementedError(f"backward of {type(ctx).__name__!r} for {x.shape=}, {len(grads):>3d} gradients")


class ModelNew(nn.Module):
    """The same layer as Model, with bias and activation fused."""

    scale: float = 1.0

    def __init__(self, in_features: int, out_features: int, *args, bias: Optional[Tuple[int, ...]] = None, **kwargs) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) / math.sqrt(in_features))
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias is None else bias
        self.cache = {}

    @property
    def features(self):
        return self.weight.size(0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        key = (x.shape, x.dtype, x.device)
        if key not in self.cache:
            self.cache[key] = x.is_contiguous()
        if not self.cache[key]:
            x = x.contiguous()
        h = F.linear(x, self.weight)
        return _FusedGelu.apply(h.view(-1, self.features), self.bias).reshape(*x.shape[:-1], -1)


batch_size, in_features, out_features = 128, 1024, 512


def get_inputs():
    return [torch.rand(batch_size, in_features) for _ in range(1)]


def get_init_inputs():
    return [in_features, out_features]
