import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, out_ptr, x_stride, target_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    target = tl.load(target_ptr + row * target_stride)
    x = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    mask = cols < N
    x2 = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy='evict_first').to(tl.float32)
    peak = tl.max(x2, axis=0)
    v = x - peak
    top = peak * 1.4426950408889634
    total = tl.sum(tl.exp2(x2 * 1.4426950408889634 - top), axis=0)
    v2 = tl.log(total)
    tl.store(out_ptr + row, -(v - v2))


def run(x, target):
    M, N = x.shape
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    BLOCK = triton.next_power_of_2(N)
    cross_entropy_kernel[(M,)](x, target, out, x.stride(0), target.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 1024)))
    return out
