# op: cumsum
# expect: incorrect
# about: scans in the storage type without going to float32
import torch
import triton
import triton.language as tl


@triton.jit
def cs_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0)
    tl.store(out_ptr + row * out_stride + cols, tl.cumsum(x, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    cs_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
