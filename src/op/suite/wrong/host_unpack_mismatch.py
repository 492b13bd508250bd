# op: softmax
# expect: host_error
# about: unpacks the shape of a matrix into three names
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + cols, tl.load(x_ptr + cols, mask=cols < N, other=0.0), mask=cols < N)


def run(x):
    B, M, N = x.shape
    out = torch.empty_like(x)
    sm_kernel[(B,)](x, out, N, BLOCK=1024)
    return out
