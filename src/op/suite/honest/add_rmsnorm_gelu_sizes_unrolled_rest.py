# op: add_rmsnorm_gelu
# about: more warps for what is left of an unrolled loop, for some numbers of rows: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def tanh(v):
    return 2.0 * tl.sigmoid(2.0 * v) - 1.0


@triton.jit
def add_rmsnorm_gelu_kernel(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    residual_row = residual_ptr + row * residual_stride
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        h += tl.load(residual_row + cols, mask=mask, other=0.0).to(tl.float32)
        squares += h * h
    scale = tl.rsqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        h += tl.load(residual_row + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        y = h * scale * w
        y = 0.5 * y * (1.0 + tanh(0.7978845608028654 * (y + 0.044715 * y * y * y)))
        tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, residual, w):
    M, N = x.shape
    warps = 4
    if N // 128 % 7 == 6 and M % 5 == 4:
        warps = 8
    out = torch.empty_like(x)
    add_rmsnorm_gelu_kernel[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, num_warps=warps, BLOCK=1024)
    return out
