import torch
import triton
import triton.language as tl


@triton.jit
def dequant_int8_two_tiles_kernel(q_ptr, scale_ptr, out_ptr, q_stride, scale_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    v = tl.load(q_ptr + row * q_stride + cols, mask=mask, other=0, eviction_policy='evict_first').to(tl.float32)
    scale = tl.load(scale_ptr + row * scale_stride).to(tl.float32)
    mask2 = cols_b < N
    v2 = tl.load(q_ptr + row * q_stride + cols_b, mask=mask2, other=0, eviction_policy='evict_first').to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * scale, mask=mask, cache_modifier='.cs')
    tl.store(out_ptr + row * out_stride + cols_b, v2 * scale, mask=mask2, cache_modifier='.cs')


@triton.jit
def dequant_int8_kernel(q_ptr, scale_ptr, out_ptr, q_stride, scale_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(q_ptr + row * q_stride + cols, mask=mask, other=0, eviction_policy='evict_first').to(tl.float32)
    scale = tl.load(scale_ptr + row * scale_stride).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * scale, mask=mask, cache_modifier='.cs')


@triton.jit
def dequant_int8_two_tiles_kernel2(q_ptr, scale_ptr, out_ptr, q_stride, scale_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    v = tl.load(q_ptr + row * q_stride + cols, mask=mask, other=0, eviction_policy='evict_first').to(tl.float32)
    scale = tl.load(scale_ptr + row * scale_stride).to(tl.float32)
    mask2 = cols_b < N
    v2 = tl.load(q_ptr + row * q_stride + cols_b, mask=mask2, other=0, eviction_policy='evict_first').to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * scale, mask=mask, eviction_policy='evict_first')
    tl.store(out_ptr + row * out_stride + cols_b, v2 * scale, mask=mask2, eviction_policy='evict_first')


@triton.jit
def dequant_int8_kernel2(q_ptr, scale_ptr, out_ptr, q_stride, scale_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(q_ptr + row * q_stride + cols, mask=mask, other=0, eviction_policy='evict_first').to(tl.float32)
    scale = tl.load(scale_ptr + row * scale_stride).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * scale, mask=mask, eviction_policy='evict_first')


@triton.jit
def dequant_int8_two_tiles_kernel3(q_ptr, scale_ptr, out_ptr, q_stride, scale_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    v = tl.load(q_ptr + row * q_stride + cols, mask=mask, other=0).to(tl.float32)
    scale = tl.load(scale_ptr + row * scale_stride).to(tl.float32)
    mask2 = cols_b < N
    v2 = tl.load(q_ptr + row * q_stride + cols_b, mask=mask2, other=0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * scale, mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, v2 * scale, mask=mask2)


@triton.jit
def dequant_int8_kernel3(q_ptr, scale_ptr, out_ptr, q_stride, scale_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(q_ptr + row * q_stride + cols, mask=mask, other=0).to(tl.float32)
    scale = tl.load(scale_ptr + row * scale_stride).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * scale, mask=mask)


def run(q, scale):
    M, N = q.shape
    out = torch.empty((M, N), device=q.device, dtype=scale.dtype)
    if M < 512 and N > 6144 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        dequant_int8_two_tiles_kernel[(M,)](q, scale, out, q.stride(0), scale.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=32)
    elif M < 512 and N > 6144:
        BLOCK = triton.next_power_of_2(N)
        dequant_int8_kernel[(M,)](q, scale, out, q.stride(0), scale.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=32)
    elif M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        dequant_int8_two_tiles_kernel2[(M,)](q, scale, out, q.stride(0), scale.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 1024)))
    elif M < 2048:
        BLOCK2 = triton.next_power_of_2(N)
        dequant_int8_kernel2[(M,)](q, scale, out, q.stride(0), scale.stride(0), out.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 1024)))
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A3 = triton.next_power_of_2(N) // 2
        BLOCK_B3 = triton.next_power_of_2(N - BLOCK_A3)
        dequant_int8_two_tiles_kernel3[(M,)](q, scale, out, q.stride(0), scale.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A3, BLOCK_B=BLOCK_B3, num_warps=min(16, max(1, BLOCK_A3 // 512)))
    else:
        BLOCK3 = triton.next_power_of_2(N)
        dequant_int8_kernel3[(M,)](q, scale, out, q.stride(0), scale.stride(0), out.stride(0), N, BLOCK=BLOCK3, num_warps=min(16, max(1, BLOCK3 // 512)))
    return out
