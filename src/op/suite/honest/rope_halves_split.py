# op: rope
# about: the two halves loaded as one tile of pairs, taken apart by tl.split and put together by tl.join
import torch
import triton
import triton.language as tl


@triton.jit
def rope_split(x_ptr, cos_ptr, sin_ptr, y_ptr, sx, sc, ss, sy, HALF, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    side = tl.arange(0, 2)
    at = i[:, None] + side[None, :] * HALF
    mask = (i < HALF)[:, None] & (side >= 0)[None, :]
    x = tl.load(x_ptr + row * sx + at, mask=mask, other=0.0).to(tl.float32)
    c = tl.load(cos_ptr + row * sc + at, mask=mask, other=0.0).to(tl.float32)
    s = tl.load(sin_ptr + row * ss + at, mask=mask, other=0.0).to(tl.float32)
    x1, x2 = tl.split(x)
    c1, c2 = tl.split(c)
    s1, s2 = tl.split(s)
    y = tl.join(x1 * c1 - x2 * s1, x2 * c2 + x1 * s2)
    tl.store(y_ptr + row * sy + at, y.to(y_ptr.dtype.element_ty), mask=mask)


def run(x, cos, sin):
    M, D = x.shape
    half = D // 2
    y = torch.empty_like(x)
    rope_split[(M,)](
        x, cos, sin, y, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), half, BLOCK=triton.next_power_of_2(half)
    )
    return y
