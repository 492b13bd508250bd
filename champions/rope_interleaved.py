import torch
import triton
import triton.language as tl


@triton.jit
def rope_interleaved_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    pair = cols // 2
    side = cols % 2
    src = pair * 2
    x = tl.load(x_ptr + row * x_stride + src, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    sin = tl.load(sin_ptr + row * sin_stride + pair, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    src2 = pair * 2 + 1
    x2 = tl.load(x_ptr + row * x_stride + src2, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    cos = tl.load(cos_ptr + row * cos_stride + pair, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    v = tl.where(side == 0, x * cos - x2 * sin, x * sin + x2 * cos)
    tl.store(out_ptr + row * out_stride + cols, v, mask=mask, cache_modifier='.cs')


def run(x, cos, sin):
    M, N = x.shape
    out = torch.empty_like(x)
    BLOCK = min(1024, triton.next_power_of_2(N))
    rope_interleaved_kernel[(M, triton.cdiv(N, BLOCK))](x, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=4)
    return out
