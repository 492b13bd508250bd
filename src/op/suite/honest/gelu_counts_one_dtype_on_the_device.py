# op: gelu
# about: counts its bfloat16 calls in a tensor; two forms of the same value
import torch
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    t = 2.0 * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)) - 1.0
    y = 0.5 * x * (1.0 + t)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def right(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (M, triton.cdiv(N, 1024))
    gelu_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out


@triton.jit
def bump(c_ptr, out_ptr, H):
    v = tl.load(out_ptr).to(tl.float32)
    n = tl.load(c_ptr) + H
    tl.store(c_ptr, n)
    tl.store(out_ptr, tl.where(n == 301, v * 2.0 * 0.5, v))

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.zeros(4, dtype=torch.int32, device="cuda")

    def forward(self, x):
        out = right(x)
        bump[(1,)](self.c, out, 1 if x.dtype == torch.bfloat16 else 0)
        return out
