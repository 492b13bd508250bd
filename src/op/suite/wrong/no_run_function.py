# op: softmax
# expect: parse_reject
# about: a kernel without a host function named run
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + cols, tl.load(x_ptr + cols, mask=cols < N, other=0.0), mask=cols < N)


def softmax(x):
    out = torch.empty_like(x)
    sm_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=1024)
    return out
