import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_two_tiles_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
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
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, x * rstd * w, mask=mask, cache_modifier='.cs')
    tl.store(out_ptr + row * out_stride + cols_b, x2 * rstd * w2, mask=mask2, cache_modifier='.cs')


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    total = tl.sum(x * x, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, x * rstd * w, mask=mask, cache_modifier='.cs')


@triton.jit
def rmsnorm_kernel2(x_ptr, w_ptr, out_ptr, x_stride, out_stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    rows = rows.to(tl.int64)
    cols = tl.arange(0, BLOCK)[None, :]
    col_mask = cols < N
    mask = row_mask & col_mask
    x = tl.load(x_ptr + rows * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    total = tl.sum(x * x, axis=1)[:, None]
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=col_mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + rows * out_stride + cols, x * rstd * w, mask=mask, cache_modifier='.cs')


@triton.jit
def rmsnorm_two_tiles_kernel2(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0).to(tl.float32)
    w2 = tl.load(w_ptr + cols_b, mask=mask2, other=0.0).to(tl.float32)
    total = tl.sum(x * x, axis=0) + tl.sum(x2 * x2, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    tl.store(out_ptr + row * out_stride + cols, x * rstd * w, mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, x2 * rstd * w2, mask=mask2)


@triton.jit
def rmsnorm_kernel3(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    total = tl.sum(x * x, axis=0)
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    tl.store(out_ptr + row * out_stride + cols, x * rstd * w, mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 512 and N > 6144 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        rmsnorm_two_tiles_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=32)
    elif M < 512 and N > 6144:
        BLOCK = triton.next_power_of_2(N)
        rmsnorm_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=32)
    elif M < 2048:
        BLOCK2 = triton.next_power_of_2(N)
        ROWS = max(1, min(8192 // BLOCK2, triton.next_power_of_2(M) // 512))
        rmsnorm_kernel2[(triton.cdiv(M, ROWS),)](x, w, out, x.stride(0), out.stride(0), M, N, ROWS=ROWS, BLOCK=BLOCK2, num_warps=min(16, max(1, ROWS * BLOCK2 // 512)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        rmsnorm_two_tiles_kernel2[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 256)))
    else:
        BLOCK3 = triton.next_power_of_2(N)
        rmsnorm_kernel3[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK3, num_warps=min(16, max(1, BLOCK3 // 256)))
    return out
