# op: softmax
# expect: incorrect
# about: stores zeros everywhere
import torch
import triton
import triton.language as tl


@triton.jit
def zero_kernel(out_ptr, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * out_stride + cols, tl.zeros([BLOCK], dtype=tl.float32), mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    zero_kernel[(M,)](out, out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
