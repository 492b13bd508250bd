# op: relu2
# about: offsets that are twice an element's on the way, in 64 bits
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    pair = row * x_stride * 2
    x = tl.load(x_ptr + pair // 2 + cols, mask=mask, other=0.0).to(tl.float32)
    x = tl.maximum(x, 0.0)
    tl.store(out_ptr + row * out_stride + cols, x * x, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    relu2_kernel[(M, triton.cdiv(N, 1024))](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out
