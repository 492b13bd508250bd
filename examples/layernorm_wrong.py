# Wrong: lanes behind the end of a row count as zeros minus the mean.
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, w, b, y, mean, rstd, x_stride, y_stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    mu = tl.sum(h, axis=0) / N
    d = h - mu
    r = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / N + eps)
    scale = tl.load(w + cols, mask=mask, other=0.0).to(tl.float32)
    shift = tl.load(b + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * y_stride + cols, d * r * scale + shift, mask=mask)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    mean = torch.empty((M,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((M,), dtype=torch.float32, device=x.device)
    kernel[(M,)](x, w, b, y, mean, rstd, x.stride(0), y.stride(0), N, 1e-5, BLOCK=triton.next_power_of_2(N))
    return y, mean, rstd
