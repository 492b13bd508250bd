# op: silu
# about: advanced block pointers
import torch
import triton
import triton.language as tl


@triton.jit
def silu_2d(x, y, rows, cols, xs0, xs1, ys0, ys1, R: tl.constexpr, C: tl.constexpr):
    xb = tl.make_block_ptr(base=x, shape=(rows, cols), strides=(xs0, xs1), offsets=(tl.program_id(0) * R, 0), block_shape=(R, C), order=(1, 0))
    yb = tl.make_block_ptr(base=y, shape=(rows, cols), strides=(ys0, ys1), offsets=(tl.program_id(0) * R, 0), block_shape=(R, C), order=(1, 0))
    for _ in range(0, tl.cdiv(cols, C)):
        v = tl.load(xb, boundary_check=(0, 1)).to(tl.float32)
        r = v / (1 + tl.exp(-v))
        tl.store(yb, r.to(y.dtype.element_ty), boundary_check=(0, 1))
        xb = tl.advance(xb, (0, C))
        yb = tl.advance(yb, (0, C))


def run(x):
    y = torch.empty_like(x)
    rows, cols = x.shape
    R, C = 8, 128
    silu_2d[(triton.cdiv(rows, R),)](x, y, rows, cols, *x.stride(), *y.stride(), R=R, C=C)
    return y
