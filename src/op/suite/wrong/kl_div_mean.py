# op: kl_div
# expect: incorrect
# about: the mean over the row where the sum belongs
import torch
import triton
import triton.language as tl


@triton.jit
def kl_div_kernel(x_ptr, y_ptr, out_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    y = tl.load(y_ptr + row * y_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    x -= tl.max(x, axis=0)
    y -= tl.max(y, axis=0)
    sum_x = tl.sum(tl.exp(x), axis=0)
    sum_y = tl.sum(tl.exp(y), axis=0)
    log_p = x - tl.log(sum_x)
    log_q = y - tl.log(sum_y)
    terms = tl.exp(log_p) * (log_p - log_q) / N
    tl.store(out_ptr + row, tl.sum(tl.where(mask, terms, 0.0), axis=0))


def run(x, y):
    M, N = x.shape
    out = torch.empty((M,), device=x.device, dtype=x.dtype)
    kl_div_kernel[(M,)](x, y, out, x.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
