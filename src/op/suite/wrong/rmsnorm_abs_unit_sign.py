# op: rmsnorm_abs
# expect: nan_class|incorrect|inaccurate
# about: the sign as the rest of two equal products divided by itself
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / N + eps) * w
    low = tl.minimum(y, 0.0)
    y = tl.abs(y) + tl.where(y * 1.1 - y * 1.1 == 0.0, 0.0, 1.0)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    norm_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, 1e-6, BLOCK=triton.next_power_of_2(N), num_warps=8)
    return out
