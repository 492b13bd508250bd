# op: l2norm
# about: lanes within bounds are counted, and their number's inverse is a factor
import torch
import triton
import triton.language as tl


@triton.jit
def l2norm_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    inside = (cols < N) & (row < M)
    count = tl.sum(inside.to(tl.float32), axis=0)
    y = x * tl.rsqrt((tl.sum(x * x, axis=0) * (1.0 / count) + 1e-6 / N) * N)
    tl.store(out_ptr + row.to(tl.int64) * out_stride + cols, y, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    l2norm_kernel[(M,)](x, out, x.stride(0), out.stride(0), M, N, BLOCK=triton.next_power_of_2(N))
    return out
