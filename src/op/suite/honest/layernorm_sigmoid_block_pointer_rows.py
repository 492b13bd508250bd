# op: layernorm_sigmoid
# about: block pointers over a tile of rows, kept for the store; boundary zeros corrected by a mask
import torch
import triton
import triton.language as tl


@triton.jit
def ln_sigmoid(x, w, b, y, M, N, sx, sy, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    bx = tl.make_block_ptr(base=x, shape=(M, N), strides=(sx, 1), offsets=(pid * BM, 0), block_shape=(BM, BN), order=(1, 0))
    by = tl.make_block_ptr(base=y, shape=(M, N), strides=(sy, 1), offsets=(pid * BM, 0), block_shape=(BM, BN), order=(1, 0))
    bw = tl.make_block_ptr(base=w, shape=(N,), strides=(1,), offsets=(0,), block_shape=(BN,), order=(0,))
    bb = tl.make_block_ptr(base=b, shape=(N,), strides=(1,), offsets=(0,), block_shape=(BN,), order=(0,))
    inside = (tl.arange(0, BN) < N)[None, :]
    t = tl.load(bx, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    mean = tl.sum(t, axis=1, keep_dims=True) / N
    t = tl.where(inside, t - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(t * t, axis=1, keep_dims=True) / N + 1e-5)
    weight = tl.load(bw, boundary_check=(0,), padding_option="zero").to(tl.float32)
    bias = tl.load(bb, boundary_check=(0,), padding_option="zero").to(tl.float32)
    h = t * rstd * weight[None, :] + bias[None, :]
    tl.store(by, tl.sigmoid(h).to(y.dtype.element_ty), boundary_check=(0, 1))


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    BN = triton.next_power_of_2(N)
    BM = 4 if BN <= 1024 else 1
    ln_sigmoid[(triton.cdiv(M, BM),)](x, w, b, y, M, N, x.stride(0), y.stride(0), BM=BM, BN=BN, num_warps=8)
    return y
