# op: rmsnorm_tanh
# about: more warps for one number of rows: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def tanh(v):
    return 2.0 * tl.sigmoid(2.0 * v) - 1.0


@triton.jit
def rmsnorm_tanh_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(h * h, axis=0) / N + 1e-6)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = h * scale * w
    y = tanh(y)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, w):
    M, N = x.shape
    warps = 4
    if M == 4099:
        warps = 8
    out = torch.empty_like(x)
    rmsnorm_tanh_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, num_warps=warps, BLOCK=triton.next_power_of_2(N))
    return out
