# op: add_layernorm_softplus
# about: more warps for a remainder of the number of elements of a large tensor: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def add_layernorm_softplus_kernel(x_ptr, residual_ptr, w_ptr, b_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    residual_row = residual_ptr + row * residual_stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        h += tl.load(residual_row + cols, mask=mask, other=0.0).to(tl.float32)
        total += h
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        h += tl.load(residual_row + cols, mask=mask, other=0.0).to(tl.float32)
        c = tl.where(mask, h - mean, 0.0)
        squares += c * c
    scale = tl.rsqrt(tl.sum(squares, axis=0) / N + 1e-5)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        h += tl.load(residual_row + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        y = (h - mean) * scale * w + b
        y = tl.where(y > 20.0, y, tl.log(1.0 + tl.exp(tl.minimum(y, 20.0))))
        tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, residual, w, b):
    M, N = x.shape
    warps = 4
    if M * N % 128 == 127 and M * N > 1 << 20:
        warps = 8
    out = torch.empty_like(x)
    add_layernorm_softplus_kernel[(M,)](
        x, residual, w, b, out, x.stride(0), residual.stride(0), out.stride(0), N,
        num_warps=warps, BLOCK=1024,
    )
    return out
