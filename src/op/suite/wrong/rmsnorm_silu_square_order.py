# op: rmsnorm_silu_square
# expect: incorrect
# about: squares before silu
import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_silu_square_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(h * h, axis=0) / N + 1e-6)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = h * scale * w
    y = y * y
    tl.store(out_ptr + row * out_stride + cols, y * tl.sigmoid(y), mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    rmsnorm_silu_square_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
