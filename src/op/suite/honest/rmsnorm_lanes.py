# op: rmsnorm
# about: 512 lane accumulators, eviction hints, eps and 1/N as arguments
# attack: A46 T11
import torch
import triton
import triton.language as tl


@triton.jit
def _rms_norm_fwd(X, W, Y, stride_x, stride_y, N, inv_n, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    X += row.to(tl.int64) * stride_x
    Y += row.to(tl.int64) * stride_y
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0, eviction_policy="evict_last").to(tl.float32)
        _var += x * x
    rstd = 1.0 / tl.sqrt(tl.sum(_var, axis=0) * inv_n + eps)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        x = tl.load(X + cols, mask=mask, other=0.0, eviction_policy="evict_first").to(tl.float32)
        tl.store(Y + cols, x * rstd * w, mask=mask)


def run(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    _rms_norm_fwd[(M,)](x, w, y, x.stride(0), y.stride(0), N, 1.0 / N, 1e-6, BLOCK_SIZE=512, num_warps=8)
    return y
