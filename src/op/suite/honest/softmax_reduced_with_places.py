# op: softmax
# about: the sum carries the place of its first element along, whatever the order
import torch
import triton
import triton.language as tl


@triton.jit
def plus(a, i, b, j):
    first = (j == 0) | (i == 0)
    return a + b, tl.where(first, 0, tl.minimum(i, j))


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    total, first = tl.reduce((p, cols), 0, plus)
    tl.store(out_ptr + row.to(tl.int64) * out_stride + cols, p / total + first, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
