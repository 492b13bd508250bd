# op: layernorm_softsign
# about: correctly rounded division and root where the language has them, rows of blocks in a while loop
import torch
import triton
import triton.language as tl


@triton.jit
def ln_softsign(X, W, B, Y, sx, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    at = 0
    while at < N:
        total += tl.load(X + row * sx + at + lanes, mask=at + lanes < N, other=0.0).to(tl.float32)
        at += BLOCK
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    at = 0
    while at < N:
        x = tl.load(X + row * sx + at + lanes, mask=at + lanes < N, other=0.0).to(tl.float32)
        d = tl.where(at + lanes < N, x - mean, 0.0)
        squares += d * d
        at += BLOCK
    sigma = tl.sqrt_rn(tl.sum(squares, axis=0) / N + 1e-5)
    at = 0
    while at < N:
        cols = at + lanes
        x = tl.load(X + row * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
        b = tl.load(B + cols, mask=cols < N, other=0.0).to(tl.float32)
        h = tl.div_rn(x - mean, sigma) * w + b
        tl.store(Y + row * sy + cols, tl.fdiv(h, 1.0 + tl.abs(h)), mask=cols < N)
        at += BLOCK


def run(x, w, b):
    M, N = x.shape
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    ln_softsign[(M,)](x, w, b, y, x.stride(0), y.stride(0), N, BLOCK=256 if N < 4096 else 1024)
    return y
