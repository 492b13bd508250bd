# op: add_rmsnorm_tanh
# about: asserts on the host and on the device, hints on strides and offsets
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def checked(x_ptr, r_ptr, w_ptr, y_ptr, M, N, sx, sr, sy, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK >= 1)
    row = tl.program_id(0)
    tl.device_assert(row < M, "a program without a row")
    tl.assume(N > 0)
    tl.assume(sx >= N)
    cols = tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row.to(tl.int64) * sx + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row.to(tl.int64) * sr + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    h = x + r
    h = h * libdevice.rsqrt(tl.sum(h * h, axis=0) / N + 1e-6) * w
    tl.store(y_ptr + row.to(tl.int64) * sy + cols, libdevice.tanh(h), mask=mask)


def run(x, residual, w):
    assert x.is_cuda and residual.is_cuda and w.is_cuda, "tensors have to be on the device"
    assert x.shape == residual.shape, f"shapes differ: {x.shape} and {residual.shape}"
    assert x.dtype == residual.dtype and x.stride(-1) == 1 and residual.stride(-1) == 1
    M, N = x.shape
    if w.numel() != N:
        raise ValueError(f"weight has {w.numel()} elements, expected {N}")
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    checked[(M,)](x, residual, w, y, M, N, x.stride(0), residual.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(N))
    return y
