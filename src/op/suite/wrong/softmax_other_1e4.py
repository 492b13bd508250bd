# op: softmax
# expect: inaccurate|incorrect
# about: lanes behind the row hold -1e4, which a row may be below
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-10000.0).to(tl.float32)
    x = x - tl.max(x, axis=0)
    total = tl.sum(tl.exp(x), axis=0)
    tl.store(out_ptr + row * out_stride + cols, tl.exp(x) / total, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
