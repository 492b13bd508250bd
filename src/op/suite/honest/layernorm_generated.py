# op: layernorm
# about: as a compiler of models writes it: torch.empty_strided, welford in tl.reduce, libdevice
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def triton_red_fused_native_layer_norm_0(in_ptr0, in_ptr1, in_ptr2, out_ptr2, ks0, ks1, xnumel, r0_numel, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    tmp3_mean = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp3_m2 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    tmp3_weight = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + ks0 * x0), r0_mask & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
        tmp1 = tmp0.to(tl.float32)
        tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
        new_weight = tmp3_weight + 1
        delta = tmp2 - tmp3_mean
        new_mean = tmp3_mean + delta / new_weight
        new_m2 = tmp3_m2 + delta * (tmp2 - new_mean)
        tmp3_mean = tl.where(r0_mask & xmask, new_mean, tmp3_mean)
        tmp3_m2 = tl.where(r0_mask & xmask, new_m2, tmp3_m2)
        tmp3_weight = tl.where(r0_mask & xmask, new_weight, tmp3_weight)
    tmp4, tmp5, tmp6 = welford(tmp3_mean, tmp3_m2, tmp3_weight, 1)
    tmp3 = tmp4[:, None]
    tmp7 = tmp5[:, None]
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp9 = tl.load(in_ptr0 + (r0_1 + ks0 * x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp17 = tl.load(in_ptr1 + (r0_1), r0_mask, eviction_policy='evict_last', other=0.0).to(tl.float32)
        tmp20 = tl.load(in_ptr2 + (r0_1), r0_mask, eviction_policy='evict_last', other=0.0).to(tl.float32)
        tmp10 = tmp9 - tmp3
        tmp11 = r0_numel
        tmp12 = tmp11.to(tl.float32)
        tmp13 = tmp7 / tmp12
        tmp14 = 1e-05
        tmp15 = tmp13 + tmp14
        tmp16 = libdevice.rsqrt(tmp15)
        tmp18 = tmp10 * tmp16
        tmp19 = tmp18 * tmp17
        tmp21 = tmp19 + tmp20
        tl.store(out_ptr2 + (r0_1 + ks1 * x0), tmp21, r0_mask & xmask)


@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    new_weight = weight_1 + weight_2
    w2_over_w = tl.where(new_weight == 0.0, 0.0, weight_2 / new_weight)
    return (
        mean_1 + delta * w2_over_w,
        m2_1 + m2_2 + delta * delta * weight_1 * w2_over_w,
        new_weight,
    )


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


def run(x, w, b):
    s0, s1 = x.size()
    buf3 = torch.empty_strided((s0, s1), (s1, 1), device='cuda', dtype=x.dtype)
    grid = lambda META: (triton.cdiv(s0, META['XBLOCK']), 1, 1)
    triton_red_fused_native_layer_norm_0[grid](x, w, b, buf3, x.stride(0), s1, s0, s1, XBLOCK=1, R0_BLOCK=1024, num_warps=8, num_stages=1)
    return buf3
