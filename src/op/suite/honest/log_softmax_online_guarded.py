# op: log_softmax
# expect: ok
# about: a running maximum that is taken for 0 while it is -inf
import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    most = tl.full([], float('-inf'), tl.float32)
    total = tl.full([], 0.0, tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float('-inf')).to(tl.float32)
        peak = tl.maximum(most, tl.max(x, axis=0))
        base = tl.where(peak == float('-inf'), 0.0, peak)
        total = total * tl.exp(most - base) + tl.sum(tl.exp(x - base), axis=0)
        most = peak
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, x - most - tl.log(total), mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=128)
    return out
