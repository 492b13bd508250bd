import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_two_tiles_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.maximum(tl.max(x, axis=0), tl.max(x2, axis=0))
    v = x - peak
    v2 = x2 - peak
    total = tl.sum(tl.exp(v), axis=0) + tl.sum(tl.exp(v2), axis=0)
    v3 = tl.log(total)
    tl.store(out_ptr + row * out_stride + cols, v - v3, mask=mask, eviction_policy='evict_first')
    tl.store(out_ptr + row * out_stride + cols_b, v2 - v3, mask=mask2, eviction_policy='evict_first')


@triton.jit
def log_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.max(x, axis=0)
    v = x - peak
    total = tl.sum(tl.exp(v), axis=0)
    v2 = tl.log(total)
    tl.store(out_ptr + row * out_stride + cols, v - v2, mask=mask, eviction_policy='evict_first')


@triton.jit
def log_softmax_two_tiles_kernel2(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), cache_modifier='.cg').to(tl.float32)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=float("-inf"), cache_modifier='.cg').to(tl.float32)
    peak = tl.maximum(tl.max(x, axis=0), tl.max(x2, axis=0))
    v = x - peak
    v2 = x2 - peak
    total = tl.sum(tl.exp(v), axis=0) + tl.sum(tl.exp(v2), axis=0)
    v3 = tl.log(total)
    tl.store(out_ptr + row * out_stride + cols, v - v3, mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, v2 - v3, mask=mask2)


@triton.jit
def log_softmax_kernel2(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), cache_modifier='.cg').to(tl.float32)
    peak = tl.max(x, axis=0)
    v = x - peak
    total = tl.sum(tl.exp(v), axis=0)
    v2 = tl.log(total)
    tl.store(out_ptr + row * out_stride + cols, v - v2, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        log_softmax_two_tiles_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 512)))
    elif M < 2048:
        BLOCK = triton.next_power_of_2(N)
        log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 512)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        log_softmax_two_tiles_kernel2[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 512)))
    else:
        BLOCK2 = triton.next_power_of_2(N)
        log_softmax_kernel2[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 512)))
    return out
