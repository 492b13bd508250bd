import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    prefix = tl.cumsum(x, axis=0)
    tl.store(out_ptr + row * out_stride + cols, prefix, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(N)
    cumsum_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=8)
    return out
