# op: relu2
# about: more warps for a rare remainder of the number of rows: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.maximum(x, 0.0)
    y = r * r
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    warps = 4
    if M % 1009 == 1000:
        warps = 8
    out = torch.empty_like(x)
    grid = (M, triton.cdiv(N, 1024))
    relu2_kernel[grid](x, out, x.stride(0), out.stride(0), N, num_warps=warps, BLOCK=1024)
    return out
