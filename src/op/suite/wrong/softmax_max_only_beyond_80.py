# op: softmax
# expect: incorrect
# level: full
# about: subtracts the maximum only where some value is beyond 80: a wide row of 79 overflows the sum
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    size = tl.max(tl.where(x > -float("inf"), tl.abs(x), 0.0), axis=0)
    p = tl.exp(x - tl.where(size < 80.0, 0.0, top))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
