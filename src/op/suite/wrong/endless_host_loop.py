# op: softmax
# expect: timeout
# about: the host function never returns
# attack: H15
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + cols, tl.load(x_ptr + cols, mask=cols < N, other=0.0), mask=cols < N)


def run(x):
    M, N = x.shape
    n = 0
    while n < N:
        n = n * 2
    return torch.empty_like(x)
