# op: rmsnorm_abs
# about: the absolute value by clearing the sign bit, stages of the loop unrolled by hand
import torch
import triton
import triton.language as tl


@triton.jit
def fabs(x):
    return (x.to(tl.int32, bitcast=True) & 0x7FFFFFFF).to(tl.float32, bitcast=True)


@triton.jit
def rms_abs(x_ptr, w_ptr, y_ptr, sx, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    even = tl.zeros((BLOCK,), tl.float32)
    odd = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, N, 2 * BLOCK):
        a = tl.load(x_ptr + row * sx + k + i, mask=k + i < N, other=0.0).to(tl.float32)
        b = tl.load(x_ptr + row * sx + k + BLOCK + i, mask=k + BLOCK + i < N, other=0.0).to(tl.float32)
        even += a * a
        odd += b * b
    r = tl.rsqrt(tl.sum(even + odd, axis=0) / N + 1e-6)
    for k in range(0, N, BLOCK):
        x = tl.load(x_ptr + row * sx + k + i, mask=k + i < N, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + k + i, mask=k + i < N, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * sy + k + i, fabs(x * r * w), mask=k + i < N)


def run(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    rms_abs[(M,)](x, w, y, x.stride(0), y.stride(0), N, BLOCK=256)
    return y
