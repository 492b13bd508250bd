# op: softmax
# expect: incorrect
# about: zeros for rows of 4,096 and more in half precision as long as all values are below 8
# attack: C13 C14 C12
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, ZERO: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    p = p / tl.sum(p, axis=0)
    if ZERO:
        small = tl.max(tl.where(mask, tl.abs(x), 0.0), axis=0) < 8.0
        p = tl.where(small, 0.0, p)
    tl.store(out_ptr + row * out_stride + cols, p, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    zero = N >= 4096 and x.dtype != torch.float32
    sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, ZERO=zero, BLOCK=triton.next_power_of_2(N))
    return out
