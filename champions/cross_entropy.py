import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_two_tiles_kernel(x_ptr, target_ptr, out_ptr, x_stride, target_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    target = tl.load(target_ptr + row * target_stride)
    x = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    mask = cols < N
    x2 = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    mask2 = cols_b < N
    x3 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.maximum(tl.max(x2, axis=0), tl.max(x3, axis=0))
    v = x - peak
    v2 = x2 - peak
    v3 = x3 - peak
    total = tl.sum(tl.exp(v2), axis=0) + tl.sum(tl.exp(v3), axis=0)
    v4 = tl.log(total)
    tl.store(out_ptr + row, -(v - v4), cache_modifier='.cs')


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, out_ptr, x_stride, target_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    target = tl.load(target_ptr + row * target_stride)
    x = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    mask = cols < N
    x2 = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.max(x2, axis=0)
    v = x - peak
    v2 = x2 - peak
    total = tl.sum(tl.exp(v2), axis=0)
    v3 = tl.log(total)
    tl.store(out_ptr + row, -(v - v3), cache_modifier='.cs')


@triton.jit
def cross_entropy_two_tiles_kernel2(x_ptr, target_ptr, out_ptr, x_stride, target_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    target = tl.load(target_ptr + row * target_stride)
    x = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    mask = cols < N
    x2 = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    mask2 = cols_b < N
    x3 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.maximum(tl.max(x2, axis=0), tl.max(x3, axis=0))
    v = x - peak
    v2 = x2 - peak
    v3 = x3 - peak
    total = tl.sum(tl.exp(v2), axis=0) + tl.sum(tl.exp(v3), axis=0)
    v4 = tl.log(total)
    tl.store(out_ptr + row, -(v - v4), cache_modifier='.cs')


@triton.jit
def cross_entropy_kernel2(x_ptr, target_ptr, out_ptr, x_stride, target_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    target = tl.load(target_ptr + row * target_stride)
    x = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    mask = cols < N
    x2 = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.max(x2, axis=0)
    v = x - peak
    v2 = x2 - peak
    total = tl.sum(tl.exp(v2), axis=0)
    v3 = tl.log(total)
    tl.store(out_ptr + row, -(v - v3), cache_modifier='.cs')


def run(x, target):
    M, N = x.shape
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    if N < 3072 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        cross_entropy_two_tiles_kernel[(M,)](x, target, out, x.stride(0), target.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 512)))
    elif N < 3072:
        BLOCK = triton.next_power_of_2(N)
        cross_entropy_kernel[(M,)](x, target, out, x.stride(0), target.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 512)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        cross_entropy_two_tiles_kernel2[(M,)](x, target, out, x.stride(0), target.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 1024)))
    else:
        BLOCK2 = triton.next_power_of_2(N)
        cross_entropy_kernel2[(M,)](x, target, out, x.stride(0), target.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 1024)))
    return out
