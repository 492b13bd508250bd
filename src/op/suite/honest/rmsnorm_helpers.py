# op: rmsnorm
# about: helper functions for the statistic and the scaling
import torch
import triton
import triton.language as tl


@triton.jit
def mean_square(x, n):
    return tl.sum(x * x, axis=0) / n


@triton.jit
def normalise(x, w, n, eps):
    return x * tl.rsqrt(mean_square(x, n) + eps) * w


@triton.jit
def rms_kernel(x_ptr, w_ptr, y_ptr, x_stride, y_stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = normalise(x, w, n, eps)
    tl.store(y_ptr + row * y_stride + cols, y, mask=mask)


def run(x, w):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    rms_kernel[(n_rows,)](x, w, y, x.stride(0), y.stride(0), n_cols, 1e-6, BLOCK=triton.next_power_of_2(n_cols))
    return y
