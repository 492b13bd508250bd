import torch
import triton
import triton.language as tl


@triton.jit
def softmax_scale_kernel(x_ptr, scale_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    scale = tl.load(scale_ptr).to(tl.float32)
    v = x * scale
    peak = tl.max(tl.where(mask, v, float("-inf")), axis=0)
    top = peak * 1.4426950408889634
    e = tl.exp2(v * 1.4426950408889634 - top)
    total = tl.sum(tl.where(mask, e, 0.0), axis=0)
    inv = 1.0 / total
    tl.store(out_ptr + row * out_stride + cols, e * inv, mask=mask, cache_modifier='.cs')


def run(x, scale):
    M, N = x.shape
    out = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(N)
    softmax_scale_kernel[(M,)](x, scale, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 512)))
    return out
