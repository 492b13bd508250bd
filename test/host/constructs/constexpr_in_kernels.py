import torch
import triton
import triton.language as tl

FACTOR = 2


@tl.constexpr
def half_of(n):
    """Half of it."""
    return n // FACTOR


@triton.constexpr_function
def doubled(n, more=4):
    return half_of(n * more) if n > 0 and not n == 7 else 3


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = doubled(BLOCK)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, doubled(BLOCK))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, doubled(128)))](x, y, x.stride(0), n, BLOCK=128)
    return y
# --- compile_fail: power of 2
import torch
import triton
import triton.language as tl

FACTOR = 3


@triton.constexpr_function
def half_of(n):
    return n // FACTOR


@triton.constexpr_function
def doubled(n):
    return half_of(n * 4)


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = doubled(BLOCK)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, doubled(BLOCK))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, doubled(128)))](x, y, x.stride(0), n, BLOCK=128)
    return y
# --- unsupported: calls itself
import torch
import triton
import triton.language as tl


@triton.constexpr_function
def doubled(n):
    return n if n > 300 else doubled(n + 1)


@triton.jit
def relu2(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, doubled(BLOCK))
    tl.store(y_ptr + cols, tl.load(x_ptr + cols))


def run(x):
    y = torch.empty_like(x)
    relu2[(1,)](x, y, 3, BLOCK=128)
    return y
# --- unsupported: choose by `if`
import torch
import triton
import triton.language as tl


@tl.constexpr
def doubled(n):
    print(n)
    return n


@triton.jit
def relu2(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, doubled(BLOCK))
    tl.store(y_ptr + cols, tl.load(x_ptr + cols))


def run(x):
    y = torch.empty_like(x)
    relu2[(1,)](x, y, 3, BLOCK=128)
    return y
