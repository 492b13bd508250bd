# op: rope_interleaved
# about: contiguous loads of whole pairs, reshape and split, results interleaved again
import torch
import triton
import triton.language as tl


@triton.jit
def rope_pairs(x_ptr, cos_ptr, sin_ptr, y_ptr, sx, sc, ss, sy, D, PAIRS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, 2 * PAIRS)
    pair = tl.arange(0, PAIRS)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < D, other=0.0).to(tl.float32)
    even, odd = tl.split(tl.reshape(x, (PAIRS, 2)))
    c = tl.load(cos_ptr + row * sc + pair, mask=2 * pair < D, other=0.0).to(tl.float32)
    s = tl.load(sin_ptr + row * ss + pair, mask=2 * pair < D, other=0.0).to(tl.float32)
    y = tl.interleave(even * c - odd * s, even * s + odd * c)
    tl.store(y_ptr + row * sy + cols, y, mask=cols < D)


def run(x, cos, sin):
    M, D = x.shape
    y = torch.empty_like(x)
    rope_pairs[(M,)](
        x, cos, sin, y, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), D, PAIRS=triton.next_power_of_2(D // 2)
    )
    return y
