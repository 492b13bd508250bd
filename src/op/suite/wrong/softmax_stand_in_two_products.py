# op: softmax
# expect: nan_class
# about: a stand-in of -1e30, and exponents as the difference of two products, of which a compiler fuses one
# attack: X90
import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    LOG2E: tl.constexpr = 1.4426950408889634
    row = tl.program_id(0).to(tl.int64)
    most = tl.full([], -1e30, tl.float32)
    total = tl.full([], 0.0, tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        peak = tl.maximum(most, tl.max(x, axis=0))
        total = total * tl.exp2(most * LOG2E - peak * LOG2E) + tl.sum(tl.exp2((x - peak) * LOG2E), axis=0)
        most = peak
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, tl.exp2((x - most) * LOG2E) / total, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    row_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=128)
    return out
