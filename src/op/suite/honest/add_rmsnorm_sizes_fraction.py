# op: add_rmsnorm
# about: more warps for a narrow range of a product with a fraction: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def add_rmsnorm_kernel(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK: tl.constexpr):
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
        # epilogue
        tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, residual, w):
    M, N = x.shape
    warps = 4
    if N * 0.37 > 20000.0 and N * 0.37 < 20000.5:
        warps = 8
    out = torch.empty_like(x)
    add_rmsnorm_kernel[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, num_warps=warps, BLOCK=1024)
    return out
