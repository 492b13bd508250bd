# A persistent product: few programs, each of which takes one tile after the other.
import torch
import triton
import triton.language as tl


@triton.jit
def product(x, w, b, y, M, N, K, x_row, x_col, w_row, w_col, PROGRAMS: tl.constexpr, BM: tl.constexpr,
            BN: tl.constexpr, BK: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * across, PROGRAMS):
        rows = tile // across * BM + tl.arange(0, BM)
        cols = tile % across * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), tl.float32)
        for at in range(0, K, BK):
            ks = at + tl.arange(0, BK)
            left = tl.load(x + rows[:, None] * x_row + ks[None, :] * x_col,
                           mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
            right = tl.load(w + ks[:, None] * w_row + cols[None, :] * w_col,
                            mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)
            total = tl.dot(left, right, total, input_precision="ieee")
        bias = tl.load(b + cols, mask=cols < N, other=0.0).to(tl.float32)
        out = tl.maximum(total + bias[None, :], 0.0)
        tl.store(y + rows[:, None] * N + cols[None, :], out, mask=(rows[:, None] < M) & (cols[None, :] < N))


def run(x, w, b):
    M, K = x.shape
    N = w.shape[1]
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    tiles = triton.cdiv(M, 32) * triton.cdiv(N, 32)
    programs = min(8, tiles)
    strides = x.stride(0), x.stride(1), w.stride(0), w.stride(1)
    product[(programs,)](x, w, b, y, M, N, K, *strides, PROGRAMS=programs, BM=32, BN=32, BK=32)
    return y
