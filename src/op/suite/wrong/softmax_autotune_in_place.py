# op: softmax
# expect: host_error
# about: the autotuned kernel works in place, once more for every run of the tuner
import torch
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0)
    tl.store(y_ptr + row * y_stride + cols, x, mask=cols < N)


@triton.autotune(configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)], key=["N"])
@triton.jit
def softmax_in_place(y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    y = tl.load(y_ptr + row * stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(y - tl.max(y, axis=0))
    tl.store(y_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


def run(x):
    M, N = x.shape
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    BLOCK = triton.next_power_of_2(N)
    copy[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK=BLOCK)
    softmax_in_place[(M,)](y, y.stride(0), N, BLOCK=BLOCK)
    return y
