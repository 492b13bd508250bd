# op: softmax
# expect: timeout
# about: a while loop that never moves
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    start = 0
    while start < N:
        total += tl.load(x_ptr + row * x_stride + start + cols, mask=start + cols < N, other=0.0).to(tl.float32)
        start = start * 1
    tl.store(out_ptr + row * out_stride + cols, total, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
