import torch
import triton
import triton.language as tl


@triton.jit
def softmax_scale_kernel(x_ptr, scale_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    scale = tl.load(scale_ptr).to(tl.float32)
    v = x * scale
    peak = tl.max(tl.where(mask, v, float("-inf")), axis=0)
    e = tl.exp(v - peak)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask, cache_modifier='.cs')


@triton.jit
def softmax_scale_kernel2(x_ptr, scale_ptr, out_ptr, x_stride, out_stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    rows = rows.to(tl.int64)
    cols = tl.arange(0, BLOCK)[None, :]
    col_mask = cols < N
    mask = row_mask & col_mask
    x = tl.load(x_ptr + rows * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    scale = tl.load(scale_ptr).to(tl.float32)
    v = x * scale
    peak = tl.max(tl.where(col_mask, v, float("-inf")), axis=1)[:, None]
    e = tl.exp(v - peak)
    total = tl.sum(tl.where(col_mask, e, 0.0), axis=1)[:, None]
    inv = 1.0 / total
    tl.store(out_ptr + rows * out_stride + cols, e * inv, mask=mask, cache_modifier='.cs')


@triton.jit
def softmax_scale_two_tiles_kernel(x_ptr, scale_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.load(scale_ptr).to(tl.float32)
    v = x * scale
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v2 = x2 * scale
    peak = tl.maximum(tl.max(tl.where(mask, v, float("-inf")), axis=0), tl.max(tl.where(mask2, v2, float("-inf")), axis=0))
    e = tl.exp(v - peak)
    e2 = tl.exp(v2 - peak)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0) + tl.sum(tl.where(mask2, e2, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, e2 * inv, mask=mask2)


@triton.jit
def softmax_scale_kernel3(x_ptr, scale_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.load(scale_ptr).to(tl.float32)
    v = x * scale
    peak = tl.max(tl.where(mask, v, float("-inf")), axis=0)
    e = tl.exp(v - peak)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask)


def run(x, scale):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 512 and N > 6144:
        BLOCK = triton.next_power_of_2(N)
        softmax_scale_kernel[(M,)](x, scale, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=32)
    elif M < 2048:
        BLOCK2 = triton.next_power_of_2(N)
        ROWS = max(1, min(4096 // BLOCK2, triton.next_power_of_2(M) // 512))
        softmax_scale_kernel2[(triton.cdiv(M, ROWS),)](x, scale, out, x.stride(0), out.stride(0), M, N, ROWS=ROWS, BLOCK=BLOCK2, num_warps=min(16, max(1, ROWS * BLOCK2 // 512)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        softmax_scale_two_tiles_kernel[(M,)](x, scale, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 512)))
    else:
        BLOCK3 = triton.next_power_of_2(N)
        softmax_scale_kernel3[(M,)](x, scale, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK3, num_warps=min(16, max(1, BLOCK3 // 512)))
    return out
