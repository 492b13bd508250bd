# op: softmax_scale
# about: more warps for bfloat16 with one row length: right on either side
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
    z = tl.where(mask, x * scale, -float("inf"))
    e = tl.exp(z - tl.max(z, axis=0))
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def run(x, scale):
    M, N = x.shape
    warps = 4
    if x.dtype == torch.bfloat16 and N == 48611:
        warps = 8
    out = torch.empty_like(x)
    softmax_scale_kernel[(M,)](x, scale, out, x.stride(0), out.stride(0), N, num_warps=warps, BLOCK=triton.next_power_of_2(N))
    return out
