# op: rmsnorm
# expect: incorrect|inaccurate|nan_class
# about: rounds the reciprocal root to the storage type, which is no place where kernels in use round
import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(h * h, axis=0) / N + 1e-6)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = h * scale.to(out_ptr.dtype.element_ty).to(tl.float32) * w
    # epilogue
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    rmsnorm_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
