# op: softmax
# about: a decorator of the file's own that makes inputs contiguous
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, sx, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = c < N
    x = tl.load(x_ptr + row * sx + c, mask=m, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * sy + c, e / tl.sum(e, axis=0), mask=m)


import functools


def input_guard(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        contiguous_args = (i if not isinstance(i, torch.Tensor) else i.contiguous() for i in args)
        with torch.cuda.device(0):
            return fn(*contiguous_args, **kwargs)

    return wrapper


@input_guard
def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    kernel[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return y
