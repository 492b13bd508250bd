# op: rope
# expect: nan_class|incorrect
# about: the second half is rotated in without its minus sign
# attack: A7
import torch
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, HALF, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    mask = i < HALF
    a = tl.load(x_ptr + row * x_stride + i, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(x_ptr + row * x_stride + HALF + i, mask=mask, other=0.0).to(tl.float32)
    ca = tl.load(cos_ptr + row * cos_stride + i, mask=mask, other=0.0).to(tl.float32)
    cb = tl.load(cos_ptr + row * cos_stride + HALF + i, mask=mask, other=0.0).to(tl.float32)
    sa = tl.load(sin_ptr + row * sin_stride + i, mask=mask, other=0.0).to(tl.float32)
    sb = tl.load(sin_ptr + row * sin_stride + HALF + i, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + i, a * ca + b * sa, mask=mask)
    tl.store(out_ptr + row * out_stride + HALF + i, b * cb + a * sb, mask=mask)


def run(x, cos, sin):
    M, D = x.shape
    half = D // 2
    out = torch.empty_like(x)
    rope_kernel[(M,)](
        x, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), half,
        BLOCK=triton.next_power_of_2(half),
    )
    return out
