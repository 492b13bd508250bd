# op: rmsnorm_gelu
# about: libdevice.tanh inside gelu, sum of squares with a masked tile of zeros
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def rms_gelu(X, W, Y, sx, sy, N: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    idx = tl.arange(0, BLOCK)
    inside = idx < N
    x = tl.load(X + row * sx + idx, mask=inside, other=0.0).to(tl.float32)
    rms = tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-6)
    g = (x / rms) * tl.load(W + idx, mask=inside, other=0.0).to(tl.float32)
    inner = 0.7978845608028654 * (g + 0.044715 * (g * g * g))
    out = 0.5 * g * (1.0 + libdevice.tanh(inner))
    tl.store(Y + row * sy + idx, out.to(Y.dtype.element_ty), mask=inside)


def run(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    rms_gelu[(M,)](x, w, y, x.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return y
