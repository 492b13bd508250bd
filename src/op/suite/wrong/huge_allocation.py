# op: softmax
# expect: host_error
# about: asks for a tensor of 2^40 elements
# attack: H15
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + cols, tl.load(x_ptr + cols, mask=cols < N, other=0.0), mask=cols < N)


def run(x):
    scratch = torch.empty((1048576, 1048576), device=x.device, dtype=torch.float32)
    sm_kernel[(1,)](x, scratch, x.shape[1], BLOCK=1024)
    return scratch
