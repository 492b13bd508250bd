import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_gelu_erf_kernel(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    count = tl.zeros([BLOCK], dtype=tl.float32)
    lane_mean = tl.zeros([BLOCK], dtype=tl.float32)
    lane_m2 = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        count = tl.where(mask, count + 1.0, count)
        delta = tl.where(mask, x - lane_mean, 0.0)
        lane_mean += delta / tl.maximum(count, 1.0)
        lane_m2 += tl.where(mask, delta * (x - lane_mean), 0.0)
    mean = tl.sum(lane_mean * count, axis=0) / N
    apart = lane_mean - mean
    m2 = tl.sum(lane_m2 + count * apart * apart, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(m2 * inv + 1e-05)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        v = x - mean
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        v2 = v * rstd * w + b
        tl.store(out_ptr + row * out_stride + cols, 0.5 * v2 * (1.0 + tl.erf(v2 * 0.7071067811865476)), mask=mask)


@triton.jit
def layernorm_gelu_erf_two_tiles_kernel(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, cache_modifier='.cg').to(tl.float32)
    total = tl.sum(x, axis=0) + tl.sum(x2, axis=0)
    inv = 1.0 / N
    mean = total * inv
    v = x - mean
    v2 = x2 - mean
    total2 = tl.sum(tl.where(mask, v * v, 0.0), axis=0) + tl.sum(tl.where(mask2, v2 * v2, 0.0), axis=0)
    rstd = tl.rsqrt(total2 * inv + 1e-05)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0, cache_modifier='.ca').to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0, cache_modifier='.ca').to(tl.float32)
    v3 = v * rstd * w + b
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0, cache_modifier='.ca').to(tl.float32)
    b2 = tl.load(b_ptr + cols_b, mask=mask2, other=0.0, cache_modifier='.ca').to(tl.float32)
    v4 = v2 * rstd * w2 + b2
    tl.store(out_ptr + row * out_stride + cols, 0.5 * v3 * (1.0 + tl.erf(v3 * 0.7071067811865476)), mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, 0.5 * v4 * (1.0 + tl.erf(v4 * 0.7071067811865476)), mask=mask2)


@triton.jit
def layernorm_gelu_erf_kernel2(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    total = tl.sum(x, axis=0)
    inv = 1.0 / N
    mean = total * inv
    v = x - mean
    total2 = tl.sum(tl.where(mask, v * v, 0.0), axis=0)
    rstd = tl.rsqrt(total2 * inv + 1e-05)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0, cache_modifier='.ca').to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0, cache_modifier='.ca').to(tl.float32)
    v2 = v * rstd * w + b
    tl.store(out_ptr + row * out_stride + cols, 0.5 * v2 * (1.0 + tl.erf(v2 * 0.7071067811865476)), mask=mask)


@triton.jit
def layernorm_gelu_erf_two_tiles_kernel2(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, eviction_policy='evict_first').to(tl.float32)
    total = tl.sum(x, axis=0) + tl.sum(x2, axis=0)
    inv = 1.0 / N
    mean = total * inv
    v = x - mean
    v2 = x2 - mean
    total2 = tl.sum(tl.where(mask, v * v, 0.0), axis=0) + tl.sum(tl.where(mask2, v2 * v2, 0.0), axis=0)
    rstd = tl.rsqrt(total2 * inv + 1e-05)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v3 = v * rstd * w + b
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    b2 = tl.load(b_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v4 = v2 * rstd * w2 + b2
    tl.store(out_ptr + row * out_stride + cols, 0.5 * v3 * (1.0 + tl.erf(v3 * 0.7071067811865476)), mask=mask, cache_modifier='.cs')
    tl.store(out_ptr + row * out_stride + cols_b, 0.5 * v4 * (1.0 + tl.erf(v4 * 0.7071067811865476)), mask=mask2, cache_modifier='.cs')


@triton.jit
def layernorm_gelu_erf_kernel3(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    total = tl.sum(x, axis=0)
    inv = 1.0 / N
    mean = total * inv
    v = x - mean
    total2 = tl.sum(tl.where(mask, v * v, 0.0), axis=0)
    rstd = tl.rsqrt(total2 * inv + 1e-05)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v2 = v * rstd * w + b
    tl.store(out_ptr + row * out_stride + cols, 0.5 * v2 * (1.0 + tl.erf(v2 * 0.7071067811865476)), mask=mask, cache_modifier='.cs')


def run(x, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 512 and N > 6144:
        BLOCK = min(4096, triton.next_power_of_2(N))
        layernorm_gelu_erf_kernel[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=16)
    elif M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        layernorm_gelu_erf_two_tiles_kernel[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 512)))
    elif M < 2048:
        BLOCK2 = triton.next_power_of_2(N)
        layernorm_gelu_erf_kernel2[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 512)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        layernorm_gelu_erf_two_tiles_kernel2[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 1024)))
    else:
        BLOCK3 = triton.next_power_of_2(N)
        layernorm_gelu_erf_kernel3[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK3, num_warps=min(16, max(1, BLOCK3 // 1024)))
    return out
