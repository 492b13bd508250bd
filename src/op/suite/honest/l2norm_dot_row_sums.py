# op: l2norm
# about: squares folded to lines of 32, each added up by a matrix product with ones in real float32, then a tree
import torch
import triton
import triton.language as tl


@triton.jit
def line_sums(v, LINES: tl.constexpr):
    ones = tl.full((32, 16), 1.0, tl.float32)
    lines = tl.dot(tl.reshape(v, (LINES, 32)), ones, input_precision="ieee")
    return tl.max(lines, axis=1)  # the columns are all alike


@triton.jit
def l2norm_dot(x_ptr, y_ptr, N, sx, sy, eps, LINES: tl.constexpr):
    BLOCK: tl.constexpr = LINES * 32
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    sums = tl.zeros((LINES,), tl.float32)
    for k in range(0, N, BLOCK):
        x = tl.load(x_ptr + row * sx + k + cols, mask=k + cols < N, other=0.0).to(tl.float32)
        sums += line_sums(x * x, LINES)
    scale = tl.rsqrt(tl.sum(sums, axis=0) + eps)
    for k in range(0, N, BLOCK):
        x = tl.load(x_ptr + row * sx + k + cols, mask=k + cols < N, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * sy + k + cols, x * scale, mask=k + cols < N)


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    l2norm_dot[(M,)](x, y, N, x.stride(0), y.stride(0), 1e-6, LINES=64)
    return y
