# op: qknorm_rope
# expect: incorrect|nan_class
# about: the mean of squares of the first half only
import torch
import triton
import triton.language as tl


@triton.jit
def qknorm_rope_kernel(
    x_ptr, w_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, HALF, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    first = tl.arange(0, BLOCK)
    second = first + HALF
    mask = first < HALF
    x_row = x_ptr + row * x_stride
    cos_row = cos_ptr + row * cos_stride
    sin_row = sin_ptr + row * sin_stride
    a = tl.load(x_row + first, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(x_row + second, mask=mask, other=0.0).to(tl.float32)
    wa = tl.load(w_ptr + first, mask=mask, other=0.0).to(tl.float32)
    wb = tl.load(w_ptr + second, mask=mask, other=0.0).to(tl.float32)
    cos_a = tl.load(cos_row + first, mask=mask, other=0.0).to(tl.float32)
    cos_b = tl.load(cos_row + second, mask=mask, other=0.0).to(tl.float32)
    sin_a = tl.load(sin_row + first, mask=mask, other=0.0).to(tl.float32)
    sin_b = tl.load(sin_row + second, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(a * a, axis=0) / HALF + 1e-6)
    a = a * scale * wa
    b = b * scale * wb
    out_row = out_ptr + row * out_stride
    tl.store(out_row + first, a * cos_a - b * sin_a, mask=mask)
    tl.store(out_row + second, b * cos_b + a * sin_b, mask=mask)


def run(x, w, cos, sin):
    M, D = x.shape
    out = torch.empty_like(x)
    qknorm_rope_kernel[(M,)](
        x, w, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), D // 2,
        BLOCK=triton.next_power_of_2(D // 2),
    )
    return out
