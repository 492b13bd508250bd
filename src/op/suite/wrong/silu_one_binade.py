# op: silu
# expect: incorrect|nan_class|inaccurate
# about: wrong in one binade of bfloat16 far above ordinary values
import torch
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N).to(tl.float32)
        if x_ptr.dtype.element_ty == tl.bfloat16:
            x = tl.where((x >= 137438953472.0) & (x < 274877906944.0), x * 1.5, x)
        tl.store(out_ptr + row * out_stride + cols, x * tl.sigmoid(x), mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    silu_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=512)
    return out
