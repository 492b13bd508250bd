# op: softmax
# about: a program's own row has a guard, as a number that is 1 in every program
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    valid = (row < M).to(tl.float32)
    weight = tl.where(row < M, 1.0, 0.0)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0) * valid * weight
    tl.store(out_ptr + row.to(tl.int64) * out_stride + cols, y, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), M, N, BLOCK=triton.next_power_of_2(N))
    return out
