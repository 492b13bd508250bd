# One tile of 128 x 256 for each program, however small the matrices are: what such a tile costs is no reason to reject it.
import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    across = tl.cdiv(N, BN)
    row = tl.program_id(0) // across * BM
    column = tl.program_id(0) % across * BN
    m = row + tl.arange(0, BM)
    n = column + tl.arange(0, BN)
    k = tl.arange(0, BK)
    left = a + (m % M)[:, None].to(tl.int64) * sa + k[None, :]
    right = b + k[:, None].to(tl.int64) * sb + (n % N)[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for done in range(0, K, BK):
        x = tl.load(left, mask=k[None, :] < K - done, other=0.0)
        y = tl.load(right, mask=k[:, None] < K - done, other=0.0)
        sums = tl.dot(x, y, sums, input_precision="ieee")
        left += BK
        right += BK * sb
    there = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c + m[:, None].to(tl.int64) * sc + n[None, :], sums.to(c.dtype.element_ty), mask=there)


def run(a, b):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = lambda META: (triton.cdiv(M, META["BM"]) * triton.cdiv(N, META["BN"]),)
    product[grid](a, b, c, M, N, K, a.stride(0), b.stride(0), c.stride(0), BM=128, BN=256, BK=64, num_warps=8)
    return c
