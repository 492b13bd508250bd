import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols[None, :] < n
    x = tl.load(x_ptr + row[:, None] * stride + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    x = tl.maximum(x, 0.0)
    tl.store(y_ptr + row * n + cols[None, :], x * x, mask=mask)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- compile_fail: tensor index
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(y_ptr + row[0], 0.0)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m,)](x, y, x.stride(0), n, BLOCK=256)
    return y
