# op: cumsum
# expect: incorrect
# about: the carry is rounded to bfloat16 between blocks
# attack: C10
import torch
import triton
import triton.language as tl


@triton.jit
def cs_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    carry = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, carry + tl.cumsum(x, axis=0), mask=mask)
        carry = (carry + tl.sum(x, axis=0)).to(tl.bfloat16).to(tl.float32)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    cs_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out
