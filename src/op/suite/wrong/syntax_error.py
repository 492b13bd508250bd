# op: softmax
# expect: parse_reject
# about: a bracket that is never closed
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK
    tl.store(out_ptr + cols, tl.load(x_ptr + cols))


def run(x):
    return torch.empty_like(x)
