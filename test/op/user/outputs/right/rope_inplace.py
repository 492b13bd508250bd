# op: rope_inplace
# about: both halves are loaded before either is stored; nothing is returned
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, cos, sin, x_stride, cos_stride, sin_stride, HALF, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    first = tl.arange(0, BLOCK)
    second = first + HALF
    mask = first < HALF
    a = tl.load(x + row * x_stride + first, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(x + row * x_stride + second, mask=mask, other=0.0).to(tl.float32)
    cos_a = tl.load(cos + row * cos_stride + first, mask=mask, other=0.0).to(tl.float32)
    cos_b = tl.load(cos + row * cos_stride + second, mask=mask, other=0.0).to(tl.float32)
    sin_a = tl.load(sin + row * sin_stride + first, mask=mask, other=0.0).to(tl.float32)
    sin_b = tl.load(sin + row * sin_stride + second, mask=mask, other=0.0).to(tl.float32)
    tl.store(x + row * x_stride + first, a * cos_a - b * sin_a, mask=mask)
    tl.store(x + row * x_stride + second, b * cos_b + a * sin_b, mask=mask)


def run(x, cos, sin):
    M, D = x.shape
    half = D // 2
    kernel[(M,)](
        x, cos, sin, x.stride(0), cos.stride(0), sin.stride(0), half, BLOCK=triton.next_power_of_2(half)
    )
