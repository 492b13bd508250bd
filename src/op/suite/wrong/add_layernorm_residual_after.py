# op: add_layernorm
# expect: incorrect
# about: normalises x alone and adds the residual afterwards
import torch
import triton
import triton.language as tl


@triton.jit
def ln_kernel(x_ptr, r_ptr, w_ptr, b_ptr, out_ptr, x_stride, r_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * r_stride + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    d = tl.where(mask, x - mean, 0.0)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = d * tl.rsqrt(tl.sum(d * d, axis=0) / N + 1e-5) * w + b + r
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, residual, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    ln_kernel[(M,)](x, residual, w, b, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
