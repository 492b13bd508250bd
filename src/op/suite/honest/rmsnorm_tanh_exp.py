# op: rmsnorm_tanh
# about: tanh as 1 - 2 / (e^2y + 1), which saturates without overflow trouble
import torch
import triton
import triton.language as tl


@triton.jit
def rms_tanh(x_ptr, w_ptr, y_ptr, sx, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / N + 1e-6) * w
    y = 1.0 - 2.0 / (tl.exp(2.0 * y) + 1.0)
    tl.store(y_ptr + row * sy + cols, y, mask=mask)


def run(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    rms_tanh[(M,)](x, w, y, x.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return y
