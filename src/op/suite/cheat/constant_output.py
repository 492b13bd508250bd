# op: softmax
# expect: incorrect
# about: stores 1/N everywhere, the mean of every right answer
import torch
import triton
import triton.language as tl


@triton.jit
def uniform_kernel(out_ptr, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * out_stride + cols, tl.full([BLOCK], 1.0, tl.float32) / N, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    uniform_kernel[(M,)](out, out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
