# op: add_rmsnorm
# about: stores the float32 sum in a scratch buffer in the first pass and reads it back in the second launch
# attack: A67
import torch
import triton
import triton.language as tl


@triton.jit
def add_and_measure(x_ptr, r_ptr, h_ptr, rstd_ptr, sx, sr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32) + tl.load(r_ptr + row * sr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(h_ptr + row * N + cols, h, mask=mask)
        acc += h * h
    tl.store(rstd_ptr + row, tl.rsqrt(tl.sum(acc) / N + 1e-6))


@triton.jit
def scale(h_ptr, rstd_ptr, w_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    rstd = tl.load(rstd_ptr + row)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(h_ptr + row * N + cols, mask=mask, other=0.0)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * N + cols, h * rstd * w, mask=mask)


def run(x, residual, w):
    M, N = x.shape
    h = torch.empty((M, N), device=x.device, dtype=torch.float32)
    rstd = torch.empty((M,), device=x.device, dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    add_and_measure[(M,)](x, residual, h, rstd, x.stride(0), residual.stride(0), N, BLOCK=1024)
    scale[(M, triton.cdiv(N, 1024))](h, rstd, w, y, N, BLOCK=1024)
    return y
