# op: add_layernorm
# about: one general kernel with constexpr flags for residual and bias
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, sx, sr, sy, N, eps, HAS_RESIDUAL: tl.constexpr, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
    if HAS_RESIDUAL:
        h = h + tl.load(r_ptr + row * sr + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(h, axis=0) / N
    h = tl.where(mask, h - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(h * h, axis=0) / N + eps)
    y = h * rstd * tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    if HAS_BIAS:
        y += tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    else:
        y = y
    tl.store(y_ptr + row * sy + cols, y, mask=mask)


def launch(x, residual, w, b):
    M, N = x.shape
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    norm_kernel[(M,)](
        x, residual, w, b, y,
        x.stride(0), residual.stride(0), y.stride(0),
        N, 1e-5,
        HAS_RESIDUAL=True, HAS_BIAS=b is not None, BLOCK=triton.next_power_of_2(N),
    )
    return y


def run(x, residual, w, b):
    return launch(x, residual, w, b)
