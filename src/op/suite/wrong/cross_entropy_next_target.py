# op: cross_entropy
# expect: incorrect
# about: picks the class after the target (the first one for the last)
import torch
import triton
import triton.language as tl


@triton.jit
def ce_kernel(x_ptr, target_ptr, out_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=0)
    lse = m + tl.log(tl.sum(tl.exp(x - m), axis=0))
    target = tl.load(target_ptr + row) + 1
    target = tl.where(target < N, target, 0)
    picked = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    tl.store(out_ptr + row, lse - tl.maximum(picked, -60000.0))


def run(x, target):
    M, N = x.shape
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    ce_kernel[(M,)](x, target, out, x.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
