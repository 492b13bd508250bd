import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    row = index // N
    cols = index % N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = tl.maximum(x, 0.0)
    tl.store(out_ptr + row * out_stride + cols, v * v, mask=mask)


@triton.jit
def relu2_two_tiles_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    v = tl.maximum(x, 0.0)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, eviction_policy='evict_first').to(tl.float32)
    v2 = tl.maximum(x2, 0.0)
    tl.store(out_ptr + row * out_stride + cols, v * v, mask=mask, eviction_policy='evict_first')
    tl.store(out_ptr + row * out_stride + cols_b, v2 * v2, mask=mask2, eviction_policy='evict_first')


@triton.jit
def relu2_kernel2(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    v = tl.maximum(x, 0.0)
    tl.store(out_ptr + row * out_stride + cols, v * v, mask=mask, eviction_policy='evict_first')


@triton.jit
def relu2_gapless_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    x = tl.load(x_ptr + index, mask=mask, other=0.0).to(tl.float32)
    v = tl.maximum(x, 0.0)
    tl.store(out_ptr + index, v * v, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    if not x.is_contiguous():
        relu2_kernel[(triton.cdiv(M * N, 4096),)](x, out, x.stride(0), out.stride(0), N, M * N, BLOCK=4096, num_warps=16)
    elif M < 2048 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        relu2_two_tiles_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 512)))
    elif M < 2048:
        BLOCK = triton.next_power_of_2(N)
        relu2_kernel2[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 512)))
    else:
        relu2_gapless_kernel[(triton.cdiv(M * N, 4096),)](x, out, M * N, BLOCK=4096, num_warps=16)
    return out
