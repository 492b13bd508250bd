# op: softmax
# expect: input_write
# about: overwrites the input with zeros, so that a reference run later would agree
import torch
import triton
import triton.language as tl


@triton.jit
def wipe_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    zero = tl.zeros([BLOCK], dtype=tl.float32)
    tl.store(x_ptr + row * x_stride + cols, zero, mask=cols < N)
    tl.store(out_ptr + row * out_stride + cols, zero + 1.0 / N, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    wipe_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
