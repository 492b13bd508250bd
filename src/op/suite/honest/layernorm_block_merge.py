# op: layernorm
# about: mean and spread of each block merged into running ones
import torch
import triton
import triton.language as tl


@triton.jit
def merge(n_a, mean_a, m2_a, n_b, mean_b, m2_b):
    n = n_a + n_b
    delta = mean_b - mean_a
    return n, mean_a + delta * (n_b / n), m2_a + m2_b + delta * delta * (n_a * n_b / n)


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    seen = 0.0
    mean = 0.0
    m2 = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        n = tl.sum(mask.to(tl.float32), axis=0)
        block_mean = tl.sum(x, axis=0) / n
        d = tl.where(mask, x - block_mean, 0.0)
        seen, mean, m2 = merge(seen, mean, m2, n, block_mean, tl.sum(d * d, axis=0))
    rstd = tl.rsqrt(m2 / N + 1e-5)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * y_stride + cols, (x - mean) * rstd * w + b, mask=mask)


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    layernorm_kernel[(M,)](x, w, b, y, x.stride(0), y.stride(0), N, BLOCK=2048)
    return y
