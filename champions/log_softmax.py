import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.max(x, axis=0)
    v = x - peak
    top = peak * 1.4426950408889634
    total = tl.sum(tl.exp2(x * 1.4426950408889634 - top), axis=0)
    v2 = tl.log(total)
    tl.store(out_ptr + row * out_stride + cols, v - v2, mask=mask, cache_modifier='.cs')


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(N)
    log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 1024)))
    return out
