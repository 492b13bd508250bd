# op: add_layernorm
# expect: inaccurate
# about: one-pass variance shifted by the first element, which cancels when that one is the outlier
# attack: A65 C16
import torch
import triton
import triton.language as tl


@triton.jit
def ln_kernel(x_ptr, r_ptr, w_ptr, b_ptr, out_ptr, x_stride, r_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    first = tl.load(x_ptr + row * x_stride).to(tl.float32) + tl.load(r_ptr + row * r_stride).to(tl.float32)
    h = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    h += tl.load(r_ptr + row * r_stride + cols, mask=mask, other=0.0).to(tl.float32)
    d = tl.where(mask, h - first, 0.0)
    mean = tl.sum(d, axis=0) / N
    var = tl.sum(d * d, axis=0) / N - mean * mean
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, (d - mean) * tl.rsqrt(var + 1e-5) * w + b, mask=mask)


def run(x, residual, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    ln_kernel[(M,)](x, residual, w, b, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
