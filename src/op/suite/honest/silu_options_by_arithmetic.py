# op: silu
# about: sizes choose options by products of comparisons, a power and a remainder
import torch
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, s, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, v * tl.sigmoid(v) * s, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    s = 1.0
    warps = 4 << ((N > 2048) * (M > 16))
    stages = 2 + (0 ** abs(N - 1009)) + (N % 8 == 0)
    block = triton.next_power_of_2(N)
    silu_kernel[(M,)](x, out, x.stride(0), out.stride(0), M, N, s, BLOCK=block, num_warps=warps, num_stages=stages)
    return out
