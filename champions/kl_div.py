import torch
import triton
import triton.language as tl


@triton.jit
def kl_div_kernel(x_ptr, y_ptr, out_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    peak_lanes = tl.full([BLOCK], -1e30, dtype=tl.float32)
    total_lanes = tl.zeros([BLOCK], dtype=tl.float32)
    peak_lanes2 = tl.full([BLOCK], -1e30, dtype=tl.float32)
    total_lanes2 = tl.zeros([BLOCK], dtype=tl.float32)
    weighed_lanes = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        v = tl.where(mask, x, float("-inf"))
        peak_new = tl.maximum(peak_lanes, v)
        e = tl.exp(v - peak_new)
        scale = tl.exp(peak_lanes - peak_new)
        y = tl.load(y_ptr + row * y_stride + cols, mask=mask, other=0.0).to(tl.float32)
        v2 = tl.where(mask, y, float("-inf"))
        peak_new2 = tl.maximum(peak_lanes2, v2)
        v3 = x - peak_new
        v4 = y - peak_new2
        weighed_lanes = (weighed_lanes + ((peak_lanes - peak_new) - (peak_lanes2 - peak_new2)) * total_lanes) * scale + e * tl.where(mask, v3 - v4, 0.0)
        total_lanes = total_lanes * scale + e
        peak_lanes = peak_new
        total_lanes2 = total_lanes2 * tl.exp(peak_lanes2 - peak_new2) + tl.exp(v2 - peak_new2)
        peak_lanes2 = peak_new2
    peak = tl.max(peak_lanes, axis=0)
    lane_scale = tl.exp(peak_lanes - peak)
    peak2 = tl.max(peak_lanes2, axis=0)
    weighed = tl.sum((weighed_lanes + ((peak_lanes - peak) - (peak_lanes2 - peak2)) * total_lanes) * lane_scale, axis=0)
    total = tl.sum(total_lanes * lane_scale, axis=0)
    total2 = tl.sum(total_lanes2 * tl.exp(peak_lanes2 - peak2), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row, weighed * inv - tl.log(total) + tl.log(total2))


@triton.jit
def kl_div_two_tiles_kernel(x_ptr, y_ptr, out_ptr, x_stride, y_stride, N, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
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
    v4 = v - v3
    y = tl.load(y_ptr + row * y_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    y2 = tl.load(y_ptr + row * y_stride + cols_b, mask=mask2, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak2 = tl.maximum(tl.max(y, axis=0), tl.max(y2, axis=0))
    v5 = y - peak2
    v6 = y2 - peak2
    total2 = tl.sum(tl.exp(v5), axis=0) + tl.sum(tl.exp(v6), axis=0)
    v7 = tl.log(total2)
    v8 = v2 - v3
    total3 = tl.sum(tl.where(mask, tl.exp(v4) * (v4 - (v5 - v7)), 0.0), axis=0) + tl.sum(tl.where(mask2, tl.exp(v8) * (v8 - (v6 - v7)), 0.0), axis=0)
    tl.store(out_ptr + row, total3, cache_modifier='.cs')


@triton.jit
def kl_div_kernel2(x_ptr, y_ptr, out_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.max(x, axis=0)
    v = x - peak
    total = tl.sum(tl.exp(v), axis=0)
    v2 = tl.log(total)
    v3 = v - v2
    y = tl.load(y_ptr + row * y_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak2 = tl.max(y, axis=0)
    v4 = y - peak2
    total2 = tl.sum(tl.exp(v4), axis=0)
    v5 = tl.log(total2)
    total3 = tl.sum(tl.where(mask, tl.exp(v3) * (v3 - (v4 - v5)), 0.0), axis=0)
    tl.store(out_ptr + row, total3, cache_modifier='.cs')


def run(x, y):
    M, N = x.shape
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    if M < 512 and N > 6144:
        BLOCK = min(2048, triton.next_power_of_2(N))
        kl_div_kernel[(M,)](x, y, out, x.stride(0), y.stride(0), N, BLOCK=BLOCK, num_warps=8)
    elif 4 * N <= 3 * triton.next_power_of_2(N):
        BLOCK_A = triton.next_power_of_2(N) // 2
        BLOCK_B = triton.next_power_of_2(N - BLOCK_A)
        kl_div_two_tiles_kernel[(M,)](x, y, out, x.stride(0), y.stride(0), N, BLOCK_A=BLOCK_A, BLOCK_B=BLOCK_B, num_warps=min(16, max(1, BLOCK_A // 512)))
    else:
        BLOCK2 = triton.next_power_of_2(N)
        kl_div_kernel2[(M,)](x, y, out, x.stride(0), y.stride(0), N, BLOCK=BLOCK2, num_warps=min(16, max(1, BLOCK2 // 512)))
    return out
