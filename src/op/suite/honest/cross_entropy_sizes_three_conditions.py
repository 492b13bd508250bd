# op: cross_entropy
# about: more warps for three conditions on both sizes: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, out_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x_row = x_ptr + row * x_stride
    x = tl.load(x_row + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=0)
    lse = m + tl.log(tl.sum(tl.exp(x - m), axis=0))
    target = tl.load(target_ptr + row)
    tl.store(out_ptr + row, lse - tl.load(x_row + target).to(tl.float32))


def run(x, target):
    M, N = x.shape
    warps = 4
    if N > 20000 and M % 2 == 1 and N % 1000 == 21:
        warps = 8
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    cross_entropy_kernel[(M,)](x, target, out, x.stride(0), N, num_warps=warps, BLOCK=triton.next_power_of_2(N))
    return out
