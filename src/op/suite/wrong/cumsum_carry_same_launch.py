# op: cumsum
# expect: race|uninit_read
# about: each block starts from the last sum of its neighbour, which another program of the launch writes
import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    start = tl.program_id(1) * BLOCK
    cols = start + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    carry = tl.load(y_ptr + row * y_stride + start - 1, mask=start > 0, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * y_stride + cols, carry + tl.cumsum(x, axis=0), mask=cols < N)


def run(x):
    M, N = x.shape
    y = torch.zeros((M, N), device=x.device, dtype=x.dtype)
    BLOCK = 16
    cumsum_kernel[(M, triton.cdiv(N, BLOCK))](x, y, x.stride(0), y.stride(0), N, BLOCK=BLOCK)
    return y
