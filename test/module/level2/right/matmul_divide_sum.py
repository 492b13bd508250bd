import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def column_sums(w_ptr, s_ptr, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    k = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    for n0 in range(0, N, BLOCK_N):
        n = n0 + tl.arange(0, BLOCK_N)
        acc += tl.load(w_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
    tl.store(s_ptr + k, tl.sum(acc, axis=0), mask=k < K)


@triton.jit
def row_products(x_ptr, s_ptr, y_ptr, K, factor, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k0 in range(0, K, BLOCK):
        k = k0 + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * K + k, mask=k < K, other=0.0) * tl.load(s_ptr + k, mask=k < K, other=0.0)
    tl.store(y_ptr + row, tl.sum(acc, axis=0) * factor)


class ModelNew(nn.Module):
    """The sum over the columns of x W is x times the sums of W's rows."""

    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden_size, input_size))
        self.factor = scaling_factor / 2

    def forward(self, x):
        M, K = x.shape
        N = self.weight.shape[0]
        s = torch.empty(K, device=x.device, dtype=torch.float32)
        y = torch.empty((M, 1), device=x.device, dtype=torch.float32)
        column_sums[(triton.cdiv(K, 64),)](self.weight, s, N, K, BLOCK_N=16, BLOCK_K=64)
        row_products[(M,)](x, s, y, K, self.factor, BLOCK=256)
        return y
