# op: softmax
# about: a lane and a number of rows choose between two forms of the same value
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, s, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    v = tl.where((cols == 1008) & (M == 37), v * 2.0 * 0.5, v)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0) * s, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    s = 1.0
    block = triton.next_power_of_2(N)
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), M, N, s, BLOCK=block)
    return out
