# op: relu2
# expect: incorrect|inaccurate|nan_class
# about: relu squared as x * x - low * low: fused, the rounding of one square is left of a negative x
# attack: X90
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    low = tl.minimum(x, 0.0)
    y = x * x - low * low
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (M, triton.cdiv(N, 1024))
    relu2_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out
