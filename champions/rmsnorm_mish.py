import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_mish_two_tiles_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0).to(tl.float32)
    total = tl.sum(x * x, axis=0) + tl.sum(x2 * x2, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v = x * rstd * w
    v2 = tl.where(v > 20.0, v, tl.log(1.0 + tl.exp(tl.minimum(v, 20.0))))
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v3 = x2 * rstd * w2
    v4 = tl.where(v3 > 20.0, v3, tl.log(1.0 + tl.exp(tl.minimum(v3, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v * (2.0 * tl.sigmoid(2.0 * v2) - 1.0), mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, v3 * (2.0 * tl.sigmoid(2.0 * v4) - 1.0), mask=mask2)


@triton.jit
def rmsnorm_mish_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = tl.sum(x * x, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v = x * rstd * w
    v2 = tl.where(v > 20.0, v, tl.log(1.0 + tl.exp(tl.minimum(v, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v * (2.0 * tl.sigmoid(2.0 * v2) - 1.0), mask=mask)


@triton.jit
def rmsnorm_mish_two_tiles_kernel2(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, eviction_policy='evict_first').to(tl.float32)
    total = tl.sum(x * x, axis=0) + tl.sum(x2 * x2, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v = x * rstd * w
    v2 = tl.where(v > 20.0, v, tl.log(1.0 + tl.exp(tl.minimum(v, 20.0))))
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v3 = x2 * rstd * w2
    v4 = tl.where(v3 > 20.0, v3, tl.log(1.0 + tl.exp(tl.minimum(v3, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v * (2.0 * tl.sigmoid(2.0 * v2) - 1.0), mask=mask, cache_modifier='.cs')
    tl.store(out_ptr + row * out_stride + cols_b, v3 * (2.0 * tl.sigmoid(2.0 * v4) - 1.0), mask=mask2, cache_modifier='.cs')


@triton.jit
def rmsnorm_mish_kernel2(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    total = tl.sum(x * x, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v = x * rstd * w
    v2 = tl.where(v > 20.0, v, tl.log(1.0 + tl.exp(tl.minimum(v, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v * (2.0 * tl.sigmoid(2.0 * v2) - 1.0), mask=mask, cache_modifier='.cs')


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        rmsnorm_mish_two_tiles_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 256)))
    elif M < 2048:
        BLOCK = triton.next_power_of_2(N)
        rmsnorm_mish_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 256)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        rmsnorm_mish_two_tiles_kernel2[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 1024)))
    else:
        BLOCK2 = triton.next_power_of_2(N)
        rmsnorm_mish_kernel2[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 1024)))
    return out
