# op: softmax_scale
# expect: nan_class|incorrect
# about: scales the largest of x: with a negative scale that is the least
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_scale_kernel(x_ptr, scale_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    scale = tl.load(scale_ptr).to(tl.float32)
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    m = tl.max(tl.where(mask, x, -float("inf")), axis=0) * scale
    z = tl.where(mask, x * scale, -float("inf"))
    e = tl.exp(z - m)
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def run(x, scale):
    M, N = x.shape
    out = torch.empty_like(x)
    softmax_scale_kernel[(M,)](x, scale, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
