import torch
import triton
import triton.language as tl


@triton.jit
def entropy_kernel(x_ptr, out_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    peak_lanes = tl.full([BLOCK], -1e30, dtype=tl.float32)
    total_lanes = tl.zeros([BLOCK], dtype=tl.float32)
    weighed_lanes = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        v = tl.where(mask, x, float("-inf"))
        peak_new = tl.maximum(peak_lanes, v)
        e = tl.exp(v - peak_new)
        scale = tl.exp(peak_lanes - peak_new)
        v2 = x - peak_new
        weighed_lanes = (weighed_lanes + (peak_lanes - peak_new) * total_lanes) * scale + e * tl.where(mask, v2, 0.0)
        total_lanes = total_lanes * scale + e
        peak_lanes = peak_new
    peak = tl.max(peak_lanes, axis=0)
    lane_scale = tl.exp(peak_lanes - peak)
    weighed = tl.sum((weighed_lanes + (peak_lanes - peak) * total_lanes) * lane_scale, axis=0)
    total = tl.sum(total_lanes * lane_scale, axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row, -(weighed * inv - tl.log(total)))


@triton.jit
def entropy_parts_kernel(x_ptr, part_max_ptr, part_sum_ptr, part_sum2_ptr, x_stride, parts, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = tl.where(mask, x, float("-inf"))
    peak = tl.maximum(tl.max(v, axis=0), -1e30)
    tl.store(part_max_ptr + row * parts + part, peak)
    e = tl.exp(v - peak)
    tl.store(part_sum_ptr + row * parts + part, tl.sum(e, axis=0))
    v2 = x - peak
    tl.store(part_sum2_ptr + row * parts + part, tl.sum(e * tl.where(mask, v2, 0.0), axis=0))


@triton.jit
def entropy_finish_kernel(part_max_ptr, part_sum_ptr, part_sum2_ptr, out_ptr, parts, PARTS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    slots = tl.arange(0, PARTS)
    peak_parts = tl.load(part_max_ptr + row * parts + slots, mask=slots < parts, other=-1e30)
    total_parts = tl.load(part_sum_ptr + row * parts + slots, mask=slots < parts, other=0.0)
    peak = tl.max(peak_parts, axis=0)
    total = tl.sum(total_parts * tl.exp(peak_parts - peak), axis=0)
    total_parts2 = tl.load(part_sum2_ptr + row * parts + slots, mask=slots < parts, other=0.0)
    weighed = tl.sum((total_parts2 + (peak_parts - peak) * total_parts) * tl.exp(peak_parts - peak), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row, -(weighed * inv - tl.log(total)))


@triton.jit
def entropy_kernel2(x_ptr, out_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.max(x, axis=0)
    v = x - peak
    total = tl.sum(tl.exp(v), axis=0)
    v2 = tl.log(total)
    v3 = v - v2
    total2 = tl.sum(tl.where(mask, tl.exp(v3) * v3, 0.0), axis=0)
    tl.store(out_ptr + row, -total2, cache_modifier='.cs')


def run(x):
    M, N = x.shape
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    if M < 512 and N > 6144:
        BLOCK = min(4096, triton.next_power_of_2(N))
        entropy_kernel[(M,)](x, out, x.stride(0), N, BLOCK=BLOCK, num_warps=16)
    elif M < 2048:
        BLOCK2 = min(4096, triton.next_power_of_2(N))
        parts = triton.cdiv(N, BLOCK2)
        part_max = torch.empty((M, parts), device=x.device, dtype=torch.float32)
        part_sum = torch.empty((M, parts), device=x.device, dtype=torch.float32)
        part_sum2 = torch.empty((M, parts), device=x.device, dtype=torch.float32)
        entropy_parts_kernel[(M, parts)](x, part_max, part_sum, part_sum2, x.stride(0), parts, N, BLOCK=BLOCK2, num_warps=8)
        entropy_finish_kernel[(M,)](part_max, part_sum, part_sum2, out, parts, PARTS=triton.next_power_of_2(parts), num_warps=8)
    else:
        BLOCK3 = triton.next_power_of_2(N)
        entropy_kernel2[(M,)](x, out, x.stride(0), N, BLOCK=BLOCK3, num_warps=min(16, max(1, BLOCK3 // 1024)))
    return out
