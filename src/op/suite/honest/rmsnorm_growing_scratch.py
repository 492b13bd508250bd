# op: rmsnorm
# expect: ok
# about: scratch of an object that has weights grows with the number of rows
import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, s_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(s_ptr + row * N + cols, x * x, mask=mask)


@triton.jit
def norm_kernel(x_ptr, s_ptr, w_ptr, y_ptr, x_stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    s = tl.load(s_ptr + row * N + cols, mask=mask, other=0.0)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum(s, 0) / N + eps)
    tl.store(y_ptr + row * N + cols, x * r * w, mask=mask)


class ModelNew(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(n))
        self.ws = None

    def forward(self, x):
        M, N = x.shape
        if self.ws is None or self.ws.numel() < M * N:
            self.ws = torch.empty(M * N, device=x.device, dtype=torch.float32)
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        block = triton.next_power_of_2(N)
        square_kernel[(M,)](x, self.ws, x.stride(0), N, BLOCK=block)
        norm_kernel[(M,)](x, self.ws, self.weight, y, x.stride(0), N, 1e-6, BLOCK=block)
        return y
