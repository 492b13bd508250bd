# op: gelu
# about: a class of static functions around one flat kernel; a strided input is walked row by row instead
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def gelu_f32(x):
    """Gelu by tanh."""
    kAlpha: tl.constexpr = 0.7978845608028654
    cubic = 0.044715 * x * x * x
    return 0.5 * x * (1.0 + libdevice.tanh(kAlpha * (x + cubic)))


@triton.jit
def gelu_flat(x, y, n: tl.int64, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(y + i, gelu_f32(tl.load(x + i, mask=m, other=0.0).to(tl.float32)), mask=m)


@triton.jit
def gelu_rows(x, y, n, stride: tl.int64, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = c < n
    tl.store(y + r * n + c, gelu_f32(tl.load(x + r * stride + c, mask=m, other=0.0).to(tl.float32)), mask=m)


class Gelu:
    BLOCK = 512

    @staticmethod
    def blocks(n):
        return triton.cdiv(n, Gelu.BLOCK)

    def __call__(self, x):
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        if x.is_contiguous():
            n = x.numel()
            gelu_flat[(self.blocks(n),)](x, y, n, BLOCK=self.BLOCK)
        else:
            rows, n = x.shape
            gelu_rows[(rows, self.blocks(n))](x, y, n, x.stride(0), BLOCK=self.BLOCK)
        return y


def run(x):
    return Gelu()(x)
