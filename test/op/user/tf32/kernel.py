import torch
import triton
import triton.language as tl


@triton.jit
def mm_kernel(x, w, y, M, K, sx, sw, sy, BM: tl.constexpr, BK: tl.constexpr, N: tl.constexpr):
    p = tl.make_block_ptr(x, (M, K), (sx, 1), (tl.program_id(0) * BM, 0), (BM, BK), (1, 0))
    q = tl.make_block_ptr(w, (K, N), (sw, 1), (0, 0), (BK, N), (1, 0))
    acc = tl.zeros((BM, N), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(p, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(q, boundary_check=(0,), padding_option="zero")
        acc = tl.dot(a, b, acc)
        p = tl.advance(p, (0, BK))
        q = tl.advance(q, (BK, 0))
    out = tl.make_block_ptr(y, (M, N), (sy, 1), (tl.program_id(0) * BM, 0), (BM, N), (1, 0))
    tl.store(out, acc.to(y.dtype.element_ty), boundary_check=(0,))

def run(x, w):
    M, K = x.shape
    y = torch.empty((M, 64), device=x.device, dtype=x.dtype)
    mm_kernel[(triton.cdiv(M, 16),)](x, w, y, M, K, x.stride(0), w.stride(0), y.stride(0), BM=16, BK=32, N=64)
    return y
