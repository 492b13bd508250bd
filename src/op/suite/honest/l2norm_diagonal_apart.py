# op: l2norm
# about: the diagonal has a mask of its own; truths are added
import torch
import triton
import triton.language as tl


@triton.jit
def l2norm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) + 1e-6)
    truths = (cols == row).to(tl.int32) + (cols < N).to(tl.int32)
    y = tl.where(truths == 2, x * tl.rsqrt(tl.sum(x * x, axis=0) + 1e-6), y)
    tl.store(out_ptr + row.to(tl.int64) * out_stride + cols, y, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    l2norm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
