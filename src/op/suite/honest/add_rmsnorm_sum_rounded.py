# op: add_rmsnorm
# expect: ok
# about: adds the residual in the storage type, as fused kernels of Liger do: the rounding "sum"
import torch
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, r_ptr, w_ptr, out_ptr, x_stride, r_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0)
    h = (x + tl.load(r_ptr + row * r_stride + cols, mask=mask, other=0.0)).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = h * tl.rsqrt(tl.sum(h * h, axis=0) / N + 1e-6) * w
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, residual, w):
    M, N = x.shape
    out = torch.empty_like(x)
    rms_kernel[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
