# op: layernorm
# about: Welford in every lane, merged at the end by counts
# attack: A59
import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_welford(X, W, B, Y, sx, sy, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    count = tl.zeros([BLOCK], dtype=tl.float32)
    mean = tl.zeros([BLOCK], dtype=tl.float32)
    m2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + lane
        mask = cols < N
        x = tl.load(X + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
        count = tl.where(mask, count + 1.0, count)
        delta = tl.where(mask, x - mean, 0.0)
        mean = mean + delta / tl.maximum(count, 1.0)
        m2 = m2 + tl.where(mask, delta * (x - mean), 0.0)
    total = tl.sum(mean * count, axis=0) / N
    apart = mean - total
    var = tl.sum(m2 + count * apart * apart, axis=0) / N
    rstd = tl.rsqrt(var + eps)
    for start in range(0, N, BLOCK):
        cols = start + lane
        mask = cols < N
        x = tl.load(X + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(B + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + row * sy + cols, (x - total) * rstd * w + b, mask=mask)


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    layernorm_welford[(M,)](x, w, b, y, x.stride(0), y.stride(0), N, 1e-5, BLOCK=1024, num_warps=8)
    return y
