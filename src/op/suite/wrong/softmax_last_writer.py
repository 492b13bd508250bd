# op: softmax
# expect: nondeterministic|incorrect|nan_class
# about: all programs leave their maximum in one cell, and the second launch takes whichever came last
import torch
import triton
import triton.language as tl


@triton.jit
def row_max(x_ptr, max_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    tl.atomic_xchg(max_ptr, tl.max(x, axis=0))


@triton.jit
def normalise(x_ptr, max_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.load(max_ptr))
    tl.store(y_ptr + row * y_stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


def run(x):
    M, N = x.shape
    top = torch.zeros((1,), device=x.device, dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    BLOCK = triton.next_power_of_2(N)
    row_max[(M,)](x, top, x.stride(0), N, BLOCK=BLOCK)
    normalise[(M,)](x, top, y, x.stride(0), y.stride(0), N, BLOCK=BLOCK)
    return y
