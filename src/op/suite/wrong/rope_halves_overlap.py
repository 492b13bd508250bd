# op: rope
# expect: race
# about: the first half is stored one element too far; the second store puts it right, or not
import torch
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, HALF, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    first = tl.arange(0, BLOCK)
    second = first + HALF
    mask = first < HALF
    x_row = x_ptr + row * x_stride
    cos_row = cos_ptr + row * cos_stride
    sin_row = sin_ptr + row * sin_stride
    a = tl.load(x_row + first, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(x_row + second, mask=mask, other=0.0).to(tl.float32)
    cos_a = tl.load(cos_row + first, mask=mask, other=0.0).to(tl.float32)
    cos_b = tl.load(cos_row + second, mask=mask, other=0.0).to(tl.float32)
    sin_a = tl.load(sin_row + first, mask=mask, other=0.0).to(tl.float32)
    sin_b = tl.load(sin_row + second, mask=mask, other=0.0).to(tl.float32)
    out_row = out_ptr + row * out_stride
    tl.store(out_row + first, a * cos_a - b * sin_a, mask=first <= HALF)
    tl.store(out_row + second, b * cos_b + a * sin_b, mask=mask)


def run(x, cos, sin):
    M, D = x.shape
    half = D // 2
    out = torch.empty_like(x)
    rope_kernel[(M,)](
        x, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), half,
        BLOCK=triton.next_power_of_2(half),
    )
    return out
