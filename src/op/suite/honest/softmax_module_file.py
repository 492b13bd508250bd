# op: softmax
# about: a file as it stands in a repository: many imports, a module inside a module, a test at its end
"""
Fused softmax kernel in Triton.

This is the classic fused softmax: every program normalises one row of the input.
"""
from __future__ import annotations

import math
import os
from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

import triton
import triton.language as tl

DEVICE = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")


@triton.jit
def _softmax_fwd_kernel(
    out_ptr: tl.tensor,
    in_ptr: tl.tensor,
    stride_out_row,
    stride_in_row,
    n_cols: tl.int32,
    BLOCK_N: tl.constexpr,
):
    """Row-wise softmax. One program per row."""
    pid = tl.program_id(axis=0).to(tl.int64)
    offs = tl.arange(0, BLOCK_N)
    mask = offs < n_cols
    ptrs = in_ptr + pid * stride_in_row + offs
    row = tl.load(ptrs, mask=mask, other=float("-inf")).to(tl.float32)
    row_max = tl.max(row, 0)
    num = tl.exp(row - row_max)
    den = tl.sum(num, 0)
    tl.store(out_ptr + pid * stride_out_row + offs, (num / den).to(out_ptr.dtype.element_ty), mask=mask)


def _get_num_warps(block: int) -> int:
    """Heuristic: more warps for wider rows."""
    if block >= 8192:
        return 32
    elif block >= 4096:
        return 16
    elif block >= 1024:
        return 8
    return 4


class TritonSoftmax(nn.Module):
    """Drop-in softmax."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert x.is_cuda, "input must be on GPU"
        assert x.ndim == 2, f"expected 2D input, got {x.ndim}D"
        M, N = x.shape
        y = torch.empty_like(x)
        BLOCK_N = triton.next_power_of_2(N)
        grid = (M,)
        with torch.cuda.device(x.device):
            _softmax_fwd_kernel[grid](
                y, x, y.stride(0), x.stride(0), N, BLOCK_N=BLOCK_N, num_warps=_get_num_warps(BLOCK_N),
            )
        return y


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()
        self.softmax = TritonSoftmax(dim=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.softmax(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(128, 1000, device="cuda")
    model = ModelNew().cuda()
    torch.testing.assert_close(model(x), torch.softmax(x, dim=1))
    print("ok")
