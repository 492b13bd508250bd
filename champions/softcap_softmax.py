import torch
import triton
import triton.language as tl


@triton.jit
def softcap_softmax_two_tiles_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    v = 3e+01 * (2.0 * tl.sigmoid(2.0 * (x / 3e+01)) - 1.0)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0, eviction_policy='evict_first').to(tl.float32)
    v2 = 3e+01 * (2.0 * tl.sigmoid(2.0 * (x2 / 3e+01)) - 1.0)
    peak = tl.maximum(tl.max(tl.where(mask, v, float("-inf")), axis=0), tl.max(tl.where(mask2, v2, float("-inf")), axis=0))
    e = tl.exp(v - peak)
    e2 = tl.exp(v2 - peak)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0) + tl.sum(tl.where(mask2, e2, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask, cache_modifier='.cs')
    tl.store(out_ptr + row * out_stride + cols_b, e2 * inv, mask=mask2, cache_modifier='.cs')


@triton.jit
def softcap_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    v = 3e+01 * (2.0 * tl.sigmoid(2.0 * (x / 3e+01)) - 1.0)
    peak = tl.max(tl.where(mask, v, float("-inf")), axis=0)
    e = tl.exp(v - peak)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask, cache_modifier='.cs')


@triton.jit
def softcap_softmax_two_tiles_kernel2(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_A)
    cols_b = BLOCK_A + tl.arange(0, BLOCK_B)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = 3e+01 * (2.0 * tl.sigmoid(2.0 * (x / 3e+01)) - 1.0)
    mask2 = cols_b < N
    x2 = tl.load(x_ptr + row * x_stride + cols_b, mask=mask2, other=0.0).to(tl.float32)
    v2 = 3e+01 * (2.0 * tl.sigmoid(2.0 * (x2 / 3e+01)) - 1.0)
    peak = tl.maximum(tl.max(tl.where(mask, v, float("-inf")), axis=0), tl.max(tl.where(mask2, v2, float("-inf")), axis=0))
    e = tl.exp(v - peak)
    e2 = tl.exp(v2 - peak)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0) + tl.sum(tl.where(mask2, e2, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask)
    tl.store(out_ptr + row * out_stride + cols_b, e2 * inv, mask=mask2)


@triton.jit
def softcap_softmax_kernel2(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = 3e+01 * (2.0 * tl.sigmoid(2.0 * (x / 3e+01)) - 1.0)
    peak = tl.max(tl.where(mask, v, float("-inf")), axis=0)
    e = tl.exp(v - peak)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    if M < 512 and N > 6144 and 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        softcap_softmax_two_tiles_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=32)
    elif M < 512 and N > 6144:
        BLOCK = triton.next_power_of_2(N)
        softcap_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=32)
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A2 = triton.next_power_of_2(N) // 2
        BLOCK_B2 = triton.next_power_of_2(N - BLOCK_A2)
        softcap_softmax_two_tiles_kernel2[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK_A=BLOCK_A2, BLOCK_B=BLOCK_B2, num_warps=min(16, max(1, BLOCK_A2 // 512)))
    else:
        BLOCK2 = triton.next_power_of_2(N)
        softcap_softmax_kernel2[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 512)))
    return out
