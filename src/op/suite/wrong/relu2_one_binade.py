# op: relu2
# expect: incorrect|nan_class|inaccurate
# about: wrong between 2^-40 and 2^-39
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N).to(tl.float32)
        x = tl.where((x >= 9.094947017729282e-13) & (x < 1.8189894035458565e-12), 0.0, x)
        tl.store(out_ptr + row * out_stride + cols, tl.maximum(x, 0.0) * tl.maximum(x, 0.0), mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    relu2_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=512)
    return out
