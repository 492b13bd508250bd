# op: cumsum
# about: more warps for one number of elements, four million of them: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    carry = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, carry + tl.cumsum(x, axis=0), mask=mask)
        carry += tl.sum(x, axis=0)


def run(x):
    M, N = x.shape
    warps = 4
    if M * N == 4099 * 1013:
        warps = 8
    out = torch.empty_like(x)
    cumsum_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, num_warps=warps, BLOCK=1024)
    return out
