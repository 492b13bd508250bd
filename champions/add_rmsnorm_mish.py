import torch
import triton
import triton.language as tl


@triton.jit
def add_rmsnorm_mish_two_tiles_kernel(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    residual = tl.load(residual_ptr + row * residual_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, eviction_policy='evict_first').to(tl.float32)
    residual2 = tl.load(residual_ptr + row * residual_stride + cols_b, mask=mask2, other=0.0, eviction_policy='evict_first').to(tl.float32)
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v = x + residual
    v2 = x2 + residual2
    total = tl.sum(v * v, axis=0) + tl.sum(v2 * v2, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    v3 = v * rstd * w
    v4 = tl.where(v3 > 20.0, v3, tl.log(1.0 + tl.exp(tl.minimum(v3, 20.0))))
    v5 = v2 * rstd * w2
    v6 = tl.where(v5 > 20.0, v5, tl.log(1.0 + tl.exp(tl.minimum(v5, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v3 * (2.0 * tl.sigmoid(2.0 * v4) - 1.0), mask=mask, cache_modifier='.cs')
    tl.store(out_ptr + row * out_stride + cols_b, v5 * (2.0 * tl.sigmoid(2.0 * v6) - 1.0), mask=mask2, cache_modifier='.cs')


@triton.jit
def add_rmsnorm_mish_kernel(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    residual = tl.load(residual_ptr + row * residual_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v = x + residual
    total = tl.sum(v * v, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    v2 = v * rstd * w
    v3 = tl.where(v2 > 20.0, v2, tl.log(1.0 + tl.exp(tl.minimum(v2, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v2 * (2.0 * tl.sigmoid(2.0 * v3) - 1.0), mask=mask, cache_modifier='.cs')


@triton.jit
def add_rmsnorm_mish_two_tiles_kernel2(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + row * residual_stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = x + residual
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0).to(tl.float32)
    residual2 = tl.load(residual_ptr + row * residual_stride + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v2 = x2 + residual2
    total = tl.sum(v * v, axis=0) + tl.sum(v2 * v2, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v3 = v * rstd * w
    v4 = tl.where(v3 > 20.0, v3, tl.log(1.0 + tl.exp(tl.minimum(v3, 20.0))))
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v5 = v2 * rstd * w2
    v6 = tl.where(v5 > 20.0, v5, tl.log(1.0 + tl.exp(tl.minimum(v5, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v3 * (2.0 * tl.sigmoid(2.0 * v4) - 1.0), mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, v5 * (2.0 * tl.sigmoid(2.0 * v6) - 1.0), mask=mask2)


@triton.jit
def add_rmsnorm_mish_kernel2(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + row * residual_stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = x + residual
    total = tl.sum(v * v, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v2 = v * rstd * w
    v3 = tl.where(v2 > 20.0, v2, tl.log(1.0 + tl.exp(tl.minimum(v2, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v2 * (2.0 * tl.sigmoid(2.0 * v3) - 1.0), mask=mask)


@triton.jit
def add_rmsnorm_mish_two_tiles_kernel3(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    residual = tl.load(residual_ptr + row * residual_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    v = x + residual
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, cache_modifier='.cg').to(tl.float32)
    residual2 = tl.load(residual_ptr + row * residual_stride + cols_b, mask=mask2, other=0.0, cache_modifier='.cg').to(tl.float32)
    v2 = x2 + residual2
    total = tl.sum(v * v, axis=0) + tl.sum(v2 * v2, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0, cache_modifier='.ca').to(tl.float32)
    v3 = v * rstd * w
    v4 = tl.where(v3 > 20.0, v3, tl.log(1.0 + tl.exp(tl.minimum(v3, 20.0))))
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0, cache_modifier='.ca').to(tl.float32)
    v5 = v2 * rstd * w2
    v6 = tl.where(v5 > 20.0, v5, tl.log(1.0 + tl.exp(tl.minimum(v5, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v3 * (2.0 * tl.sigmoid(2.0 * v4) - 1.0), mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, v5 * (2.0 * tl.sigmoid(2.0 * v6) - 1.0), mask=mask2)


@triton.jit
def add_rmsnorm_mish_kernel3(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    residual = tl.load(residual_ptr + row * residual_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    v = x + residual
    total = tl.sum(v * v, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0, cache_modifier='.ca').to(tl.float32)
    v2 = v * rstd * w
    v3 = tl.where(v2 > 20.0, v2, tl.log(1.0 + tl.exp(tl.minimum(v2, 20.0))))
    tl.store(out_ptr + row * out_stride + cols, v2 * (2.0 * tl.sigmoid(2.0 * v3) - 1.0), mask=mask)


def run(x, residual, w):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 512 and N > 6144 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        add_rmsnorm_mish_two_tiles_kernel[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 1024)))
    elif M < 512 and N > 6144:
        BLOCK = triton.next_power_of_2(N)
        add_rmsnorm_mish_kernel[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 1024)))
    elif M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        add_rmsnorm_mish_two_tiles_kernel2[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 256)))
    elif M < 2048:
        BLOCK2 = triton.next_power_of_2(N)
        add_rmsnorm_mish_kernel2[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 256)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A3 = triton.next_power_of_2(N) // 2
        BLOCK_B3 = triton.next_power_of_2(N - BLOCK_A3)
        add_rmsnorm_mish_two_tiles_kernel3[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A3, BLOCK_B=BLOCK_B3, num_warps=min(16, max(1, BLOCK_A3 // 512)))
    else:
        BLOCK3 = triton.next_power_of_2(N)
        add_rmsnorm_mish_kernel3[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK=BLOCK3, num_warps=min(16, max(1, BLOCK3 // 512)))
    return out
