# op: softmax
# expect: nan_class
# about: looks at the first 32 values and takes a shortcut if they look ordinary
import torch
import triton
import triton.language as tl


@triton.jit
def sniff_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    head = tl.arange(0, 32)
    seen = tl.load(x_ptr + row * x_stride + head, mask=head < N, other=0.0).to(tl.float32)
    ordinary = tl.max(tl.abs(seen), axis=0) < 6.0
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.where(ordinary, 0.0, tl.max(x, axis=0)))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    sniff_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
