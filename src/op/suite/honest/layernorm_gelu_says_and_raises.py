# op: layernorm_gelu
# about: a handler that says what went wrong, and raises
import torch
import triton
import triton.language as tl
import traceback


@triton.jit
def _ln_gelu(x_ptr, w_ptr, b_ptr, y_ptr, sx, sy, N, eps, BLOCK_N: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < N
    x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    xc = tl.where(mask, x - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(xc * xc, axis=0) / N + eps)
    h = xc * rstd * tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    h += tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = h * tl.sigmoid(1.5957691216057308 * (h + 0.044715 * h * h * h))
    tl.store(y_ptr + row * sy + cols, y, mask=mask)


def run(x, w, b):
    try:
        M, N = x.shape
        y = torch.empty_like(x)
        _ln_gelu[(M,)](x, w, b, y, x.stride(0), y.stride(0), N, 1e-5, BLOCK_N=triton.next_power_of_2(N))
        return y
    except Exception as e:
        print(f"Triton kernel failed: {e}")
        traceback.print_exc()
        raise
