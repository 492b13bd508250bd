# op: rmsnorm
# expect: inaccurate
# about: rounds the result through bfloat16 whatever the output type
# attack: C11 C10
import torch
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / N + 1e-6) * w
    tl.store(out_ptr + row * out_stride + cols, y.to(tl.bfloat16), mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    rms_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
