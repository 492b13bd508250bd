# op: rope_interleaved
# expect: incorrect|nan_class
# about: both results are the first of the pair
import torch
import triton
import triton.language as tl


@triton.jit
def rope_interleaved_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, PAIRS, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    pair = tl.arange(0, BLOCK)
    mask = pair < PAIRS
    x_row = x_ptr + row * x_stride
    c = tl.load(cos_ptr + row * cos_stride + pair, mask=mask, other=0.0).to(tl.float32)
    s = tl.load(sin_ptr + row * sin_stride + pair, mask=mask, other=0.0).to(tl.float32)
    a = tl.load(x_row + 2 * pair, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(x_row + 2 * pair + 1, mask=mask, other=0.0).to(tl.float32)
    out_row = out_ptr + row * out_stride
    tl.store(out_row + 2 * pair, a * c - b * s, mask=mask)
    tl.store(out_row + 2 * pair + 1, a * c - b * s, mask=mask)


def run(x, cos, sin):
    M, D = x.shape
    out = torch.empty_like(x)
    rope_interleaved_kernel[(M,)](
        x, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), D // 2,
        BLOCK=triton.next_power_of_2(D // 2),
    )
    return out
