import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_two_tiles_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    prefix = tl.cumsum(x, axis=0)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, eviction_policy='evict_first').to(tl.float32)
    carry = tl.sum(x, axis=0)
    prefix2 = carry + tl.cumsum(x2, axis=0)
    tl.store(out_ptr + row * out_stride + cols, prefix, mask=mask, cache_modifier='.cs')
    tl.store(out_ptr + row * out_stride + cols_b, prefix2, mask=mask2, cache_modifier='.cs')


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    prefix = tl.cumsum(x, axis=0)
    tl.store(out_ptr + row * out_stride + cols, prefix, mask=mask, cache_modifier='.cs')


@triton.jit
def cumsum_two_tiles_kernel2(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    prefix = tl.cumsum(x, axis=0)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0).to(tl.float32)
    carry = tl.sum(x, axis=0)
    prefix2 = carry + tl.cumsum(x2, axis=0)
    tl.store(out_ptr + row * out_stride + cols, prefix, mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, prefix2, mask=mask2)


@triton.jit
def cumsum_kernel2(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    prefix = tl.cumsum(x, axis=0)
    tl.store(out_ptr + row * out_stride + cols, prefix, mask=mask)


@triton.jit
def cumsum_two_tiles_kernel3(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    prefix = tl.cumsum(x, axis=0)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, cache_modifier='.cg').to(tl.float32)
    carry = tl.sum(x, axis=0)
    prefix2 = carry + tl.cumsum(x2, axis=0)
    tl.store(out_ptr + row * out_stride + cols, prefix, mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, prefix2, mask=mask2)


@triton.jit
def cumsum_kernel3(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    prefix = tl.cumsum(x, axis=0)
    tl.store(out_ptr + row * out_stride + cols, prefix, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 512 and N > 6144 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        cumsum_two_tiles_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=8)
    elif M < 512 and N > 6144:
        BLOCK = triton.next_power_of_2(N)
        cumsum_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=8)
    elif M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        cumsum_two_tiles_kernel2[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=8)
    elif M < 2048:
        BLOCK2 = triton.next_power_of_2(N)
        cumsum_kernel2[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK2, num_warps=8)
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A3 = triton.next_power_of_2(N) // 2
        BLOCK_B3 = triton.next_power_of_2(N - BLOCK_A3)
        cumsum_two_tiles_kernel3[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A3, BLOCK_B=BLOCK_B3, num_warps=min(16, max(1, BLOCK_A3 // 512)))
    else:
        BLOCK3 = triton.next_power_of_2(N)
        cumsum_kernel3[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK3, num_warps=min(16, max(1, BLOCK3 // 512)))
    return out
