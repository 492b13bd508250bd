# op: softmax
# expect: incorrect
# about: online softmax that forgets to rescale the sum when the maximum moves
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -1.0e30
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
        s += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, tl.exp(x - m) / s, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=128)
    return out
