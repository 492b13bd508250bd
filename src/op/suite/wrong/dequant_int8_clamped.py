# op: dequant_int8
# expect: inaccurate
# about: takes -128 for -127
# attack: C15
import torch
import triton
import triton.language as tl


@triton.jit
def dq_kernel(q_ptr, scale_ptr, out_ptr, q_stride, scale_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    scale = tl.load(scale_ptr + row * scale_stride).to(tl.float32)
    q = tl.load(q_ptr + row * q_stride + cols, mask=mask, other=0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, tl.maximum(q, -127.0) * scale, mask=mask)


def run(q, scale):
    M, N = q.shape
    out = torch.empty((M, N), device=q.device, dtype=torch.float16)
    grid = (M, triton.cdiv(N, 2048))
    dq_kernel[grid](q, scale, out, q.stride(0), scale.stride(0), out.stride(0), N, BLOCK=2048)
    return out
