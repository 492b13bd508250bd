import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def product(x_ptr, w_ptr, y_ptr, M, N, K, B: tl.constexpr):
    # No bias: the batch's mean takes it away again.
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k0 in range(0, K, B):
        k = k0 + tl.arange(0, B)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def batch_norm_relu(y_ptr, w_ptr, b_ptr, M, N, eps, BM: tl.constexpr, BN: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for m0 in range(0, M, BM):
        m = m0 + tl.arange(0, BM)
        total += tl.load(y_ptr + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0.0)
    mean = tl.sum(total, axis=0) / M
    square = tl.zeros((BM, BN), tl.float32)
    for m0 in range(0, M, BM):
        m = m0 + tl.arange(0, BM)
        ok = (m[:, None] < M) & (n[None, :] < N)
        d = tl.load(y_ptr + m[:, None] * N + n[None, :], mask=ok, other=0.0) - mean[None, :]
        square += tl.where(ok, d * d, 0.0)
    scale = tl.load(w_ptr + n, mask=n < N, other=0.0) / tl.sqrt(tl.sum(square, axis=0) / M + eps)
    shift = tl.load(b_ptr + n, mask=n < N, other=0.0)
    for m0 in range(0, M, BM):
        m = m0 + tl.arange(0, BM)
        ok = (m[:, None] < M) & (n[None, :] < N)
        y = tl.load(y_ptr + m[:, None] * N + n[None, :], mask=ok, other=0.0)
        y = (y - mean[None, :]) * scale[None, :] + shift[None, :]
        tl.store(y_ptr + m[:, None] * N + n[None, :], tl.maximum(y, 0.0), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.bn = nn.BatchNorm1d(out_features)

    def forward(self, x):
        M, K = x.shape
        N = self.linear.out_features
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        product[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, self.linear.weight, y, M, N, K, B=32)
        batch_norm_relu[(triton.cdiv(N, 32),)](y, self.bn.weight, self.bn.bias, M, N, self.bn.eps, BM=16, BN=32)
        return y
