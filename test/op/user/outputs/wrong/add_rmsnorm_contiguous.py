# op: add_rmsnorm
# about: the sum is right for contiguous rows only
# expect: incorrect|oob|uninit_read
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, residual, w, y, total, x_stride, residual_stride, y_stride, total_stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    h += tl.load(residual + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.load(w + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = 1.0 / tl.sqrt(tl.sum(h * h, axis=0) / N + eps)
    tl.store(total + row * total_stride + cols, h, mask=mask)
    tl.store(y + row * y_stride + cols, h * rstd * scale, mask=mask)


def run(x, residual, w):
    M, N = x.shape
    y = torch.empty_like(x)
    total = torch.empty_like(x)
    kernel[(M,)](
        x, residual, w, y, total, x.stride(0), residual.stride(0), y.stride(0), total.stride(0), N, 1e-5,
        BLOCK=triton.next_power_of_2(N),
    )
    return y, total
