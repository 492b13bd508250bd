# op: softmax
# about: what a file of a package says about itself, names for readers of types, jit under its own name
"""Row softmax."""
from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import triton.language as tl
from triton import cdiv, jit, next_power_of_2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__version__ = "1.2.0"
__author__ = "kernel authors"
__license__ = "MIT"
__all__ = ("run", "softmax")


@jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


def softmax(x: Tensor, sizes: Sequence[int]) -> Tensor:
    M, N = sizes
    out = torch.empty_like(x)
    sm_kernel[(cdiv(M, 1),)](x, out, x.stride(0), out.stride(0), N, BLOCK=next_power_of_2(N))
    return out


def run(x: Tensor) -> Tensor:
    return softmax(x, x.shape)
