# op: rmsnorm_softplus
# about: log1p(exp(h)) below the threshold, grid over rows, columns in chunks that are kept in float32 scratch
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def softplus(x, beta: tl.constexpr = 1.0, threshold: tl.constexpr = 20.0):
    z = x * beta
    small = libdevice.log1p(tl.exp(tl.minimum(z, threshold))) / beta
    return tl.where(z > threshold, x, small)


@triton.jit
def fused(x_ptr, w_ptr, y_ptr, row_stride_x, row_stride_y, N, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    x_row = x_ptr + pid.to(tl.int64) * row_stride_x
    y_row = y_ptr + pid.to(tl.int64) * row_stride_y
    square_sum = 0.0
    for off in tl.range(0, N, BLOCK):
        idx = off + tl.arange(0, BLOCK)
        x = tl.load(x_row + idx, mask=idx < N, other=0.0).to(tl.float32)
        square_sum += tl.sum(x * x, axis=0)
    inv_rms = tl.rsqrt(square_sum / N + 1e-6)
    for off in tl.range(0, N, BLOCK):
        idx = off + tl.arange(0, BLOCK)
        x = tl.load(x_row + idx, mask=idx < N, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + idx, mask=idx < N, other=0.0).to(tl.float32)
        tl.store(y_row + idx, softplus(x * inv_rms * w), mask=idx < N)


def run(x, w):
    assert x.ndim == 2 and w.ndim == 1 and x.shape[-1] == w.numel()
    y = torch.zeros_like(x)
    BLOCK = min(triton.next_power_of_2(x.shape[1]), 4096)
    fused[(x.shape[0],)](x, w, y, x.stride(0), y.stride(0), x.shape[1], BLOCK=BLOCK)
    return y
