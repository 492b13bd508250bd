# Wrong: the second half is turned by the first one as it is after its store.
import torch
import triton
import triton.language as tl


@triton.jit
def rotate(x, cos, sin, x_stride, cos_stride, sin_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x += row * x_stride
    a = tl.load(x + cols, mask=mask).to(tl.float32)
    b = tl.load(x + n + cols, mask=mask).to(tl.float32)
    c = tl.load(cos + row * cos_stride + cols, mask=mask).to(tl.float32)
    s = tl.load(sin + row * sin_stride + cols, mask=mask).to(tl.float32)
    tl.store(x + cols, a * c - b * s, mask=mask)
    a = tl.load(x + cols, mask=mask).to(tl.float32)
    tl.store(x + n + cols, b * c + a * s, mask=mask)


def run(x, cos, sin):
    M, N = x.shape
    strides = x.stride(0), cos.stride(0), sin.stride(0)
    rotate[(M,)](x, cos, sin, *strides, N // 2, BLOCK=triton.next_power_of_2(N // 2))
    return x
