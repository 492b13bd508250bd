# op: add_layernorm_selu
# about: add, statistics and activation as kernels of their own with buffers in between
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add_kernel(a_ptr, b_ptr, c_ptr, sa, sb, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    a = tl.load(a_ptr + row * sa + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + row * sb + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(c_ptr + row * N + cols, a + b, mask=mask)


@triton.jit
def stats_kernel(c_ptr, stats_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    c = tl.load(c_ptr + row * N + cols, mask=mask, other=0.0)
    mean = tl.sum(c, axis=0) / N
    d = tl.where(mask, c - mean, 0.0)
    tl.store(stats_ptr + 2 * row, mean)
    tl.store(stats_ptr + 2 * row + 1, tl.rsqrt(tl.sum(d * d, axis=0) / N + 1e-5))


@triton.jit
def selu_kernel(c_ptr, stats_ptr, w_ptr, b_ptr, y_ptr, total, N, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    row = i // N
    col = i % N
    c = tl.load(c_ptr + i, mask=mask, other=0.0)
    mean = tl.load(stats_ptr + 2 * row, mask=mask, other=0.0)
    rstd = tl.load(stats_ptr + 2 * row + 1, mask=mask, other=0.0)
    w = tl.load(w_ptr + col, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + col, mask=mask, other=0.0).to(tl.float32)
    h = (c - mean) * rstd * w + b
    neg = 1.6732632423543772 * libdevice.expm1(tl.minimum(h, 0.0))
    tl.store(y_ptr + i, 1.0507009873554805 * tl.where(h > 0, h, neg), mask=mask)


def run(x, residual, w, b):
    M, N = x.shape
    c = torch.empty((M, N), device=x.device, dtype=torch.float32)
    stats = torch.empty((M, 2), device=x.device, dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    add_kernel[(M, triton.cdiv(N, 1024))](x, residual, c, x.stride(0), residual.stride(0), N, BLOCK=1024)
    stats_kernel[(M,)](c, stats, N, BLOCK=triton.next_power_of_2(N))
    selu_kernel[(triton.cdiv(M * N, 1024),)](c, stats, w, b, y, M * N, N, BLOCK=1024)
    return y
