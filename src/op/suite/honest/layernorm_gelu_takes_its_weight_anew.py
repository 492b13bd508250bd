# op: layernorm_gelu
# about: keeps room for a copy of the weights, which is made in each call
import torch
import triton
import triton.language as tl


@triton.jit
def tanh(v):
    return 2.0 * tl.sigmoid(2.0 * v) - 1.0


@triton.jit
def layernorm_gelu_kernel(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(h, axis=0) / N
    c = tl.where(mask, h - mean, 0.0)
    scale = tl.rsqrt(tl.sum(c * c, axis=0) / N + 1e-5)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = c * scale * w + b
    y = 0.5 * y * (1.0 + tanh(0.7978845608028654 * (y + 0.044715 * y * y * y)))
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def right(x, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    layernorm_gelu_kernel[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out


@triton.jit
def take(w_ptr, out_ptr, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(w_ptr + cols, mask=cols < N, other=0.0)
    tl.store(out_ptr + cols, w, mask=cols < N)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.key = None

    def forward(self, x, w, b):
        M, N = x.shape
        key = (N, x.dtype)
        if key != self.key:
            self.key = key
            self.copy = torch.empty((N,), dtype=w.dtype, device=x.device)
        take[(triton.cdiv(N, 1024),)](w, self.copy, N, BLOCK=1024)
        return right(x, self.copy, b)
