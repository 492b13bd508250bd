# op: rmsnorm
# expect: ok
# about: autotuned, sums by atomics that reset_to_zero names
import torch
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)], key=["N"], reset_to_zero=["ss"])
@triton.jit
def squares(x, ss, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    h = tl.load(x + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(ss + row, tl.sum(h * h, axis=0))


@triton.jit
def scale(x, ss, w, y, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(w + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * N + cols, h / tl.sqrt(tl.load(ss + row) / N + 1e-6) * g, mask=mask)


def run(x, w):
    M, N = x.shape
    ss = torch.zeros((M,), dtype=torch.float32, device=x.device)
    y = torch.empty_like(x)
    B = triton.next_power_of_2(N)
    squares[(M,)](x, ss, x.stride(0), N, BLOCK=B)
    scale[(M,)](x, ss, w, y, x.stride(0), N, BLOCK=B)
    return y
