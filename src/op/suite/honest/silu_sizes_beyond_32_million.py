# op: silu
# about: more warps for more elements than 2^25: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.sigmoid(x)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    warps = 4
    if M * N > 1 << 25:
        warps = 8
    out = torch.empty_like(x)
    grid = (M, triton.cdiv(N, 1024))
    silu_kernel[grid](x, out, x.stride(0), out.stride(0), N, num_warps=warps, BLOCK=1024)
    return out
