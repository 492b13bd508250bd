# op: layernorm_gelu
# about: attributes that are asked for before they are there
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _ln_gelu(x_ptr, w_ptr, b_ptr, y_ptr, xs, ys, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], tl.float32)
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * xs + c, mask=c < N, other=0.0).to(tl.float32)
    mean = tl.sum(acc, 0) / N
    acc = tl.zeros([BLOCK], tl.float32)
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * xs + c, mask=c < N, other=0.0).to(tl.float32)
        d = tl.where(c < N, x - mean, 0.0)
        acc += d * d
    rstd = tl.rsqrt(tl.sum(acc, 0) / N + eps)
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        m = c < N
        x = tl.load(x_ptr + row * xs + c, mask=m, other=0.0).to(tl.float32)
        h = (x - mean) * rstd * tl.load(w_ptr + c, mask=m, other=0.0).to(tl.float32) + tl.load(b_ptr + c, mask=m, other=0.0).to(tl.float32)
        u = 0.7978845608028654 * (h + 0.044715 * h * h * h)
        tl.store(y_ptr + row * ys + c, h * tl.sigmoid(2 * u), mask=m)


class ModelNew(nn.Module):
    def __init__(self, dim=64, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(dim), requires_grad=False)
        self.eps = eps

    def _out(self, x):
        buf = getattr(self, "_last_shape", None)
        if buf != tuple(x.shape):
            self._last_shape = tuple(x.shape)
        return torch.empty_like(x)

    def _block(self, n):
        if not hasattr(self, "_blocks"):
            self._blocks = {}
        if n not in self._blocks:
            self._blocks[n] = min(2048, triton.next_power_of_2(n))
        return self._blocks[n]

    def forward(self, x):
        device = next(self.parameters()).device
        assert x.device == device, f"{x.device} != {device}"
        y = self._out(x)
        M, N = x.shape
        _ln_gelu[(M,)](x, self.weight, self.bias, y, x.stride(0), y.stride(0), N, self.eps, BLOCK=self._block(N))
        return y
