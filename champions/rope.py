import torch
import triton
import triton.language as tl


@triton.jit
def rope_gapless_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, N, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    row = index // N
    cols = index % N
    x = tl.load(x_ptr + index, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    cos = tl.load(cos_ptr + index, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    half = N // 2
    part = cols < half
    part_mask = mask & part
    src = cols + half
    x2 = tl.load(x_ptr + row * x_stride + src, mask=part_mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    v = -x2
    part2 = cols >= half
    part_mask2 = mask & part2
    src2 = cols - half
    x3 = tl.load(x_ptr + row * x_stride + src2, mask=part_mask2, other=0.0, cache_modifier='.cg').to(tl.float32)
    sin = tl.load(sin_ptr + index, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    tl.store(out_ptr + index, x * cos + tl.where(part, v, x3) * sin, mask=mask)


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, N, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    row = index // N
    cols = index % N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    cos = tl.load(cos_ptr + row * cos_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    half = N // 2
    part = cols < half
    part_mask = mask & part
    src = cols + half
    x2 = tl.load(x_ptr + row * x_stride + src, mask=part_mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    v = -x2
    part2 = cols >= half
    part_mask2 = mask & part2
    src2 = cols - half
    x3 = tl.load(x_ptr + row * x_stride + src2, mask=part_mask2, other=0.0, cache_modifier='.cg').to(tl.float32)
    sin = tl.load(sin_ptr + row * sin_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, x * cos + tl.where(part, v, x3) * sin, mask=mask)


def run(x, cos, sin):
    M, N = x.shape
    out = torch.empty_like(x)
    if x.is_contiguous() and cos.is_contiguous() and sin.is_contiguous():
        rope_gapless_kernel[(triton.cdiv(M * N, 1024),)](x, cos, sin, out, x.stride(0), N, M * N, BLOCK=1024, num_warps=4)
    else:
        rope_kernel[(triton.cdiv(M * N, 1024),)](x, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), N, M * N, BLOCK=1024, num_warps=4)
    return out
