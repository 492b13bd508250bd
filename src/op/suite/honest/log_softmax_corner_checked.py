# op: log_softmax
# about: a row and a column beyond 6,000, and their distance, choose between equal values
import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    s = x - tl.max(x, axis=0)
    y = s - tl.log(tl.sum(tl.exp(s), axis=0))
    also = (x - tl.max(x, axis=0)) - tl.log(tl.sum(tl.exp(s), axis=0))
    late = tl.where(cols > 7000, also, y)
    y = tl.where(row == 6100, late, y)
    tl.store(out_ptr + row.to(tl.int64) * out_stride + cols, y, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), M, N, BLOCK=triton.next_power_of_2(N))
    return out
