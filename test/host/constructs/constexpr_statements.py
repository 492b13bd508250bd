import torch
import triton
import triton.language as tl

LEAST = 64
SEEN = 5


@triton.constexpr_function
def at_least(n, least=16):
    """Never less."""
    if n < least:
        n = least
    return n


@triton.constexpr_function
def width(n, wide):
    if wide:
        size = at_least(n * 2, LEAST)
        more = 0
    elif n == 7:
        return 3
    else:
        size = n
        more = size // 2
    size += more
    size -= more
    return size


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
# --- compile_fail: power of 2
import torch
import triton
import triton.language as tl

SEEN = 64


@triton.constexpr_function
def width(n, wide):
    size = n
    if wide:
        size = 3 * n
    return size


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
# --- uncovered_output: left 420
import torch
import triton
import triton.language as tl

SEEN = 64


@triton.constexpr_function
def width(n, wide):
    size = 2 * n
    if size > 16:
        size = 32
    return size


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
# --- unsupported: choose by `if`
import torch
import triton
import triton.language as tl

SEEN = 64


@triton.constexpr_function
def width(n, wide):
    if n > 300:
        SEEN = 3
    return SEEN


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
# --- unsupported: choose by `if`
import torch
import triton
import triton.language as tl

SEEN = 64


@triton.constexpr_function
def width(n, wide):
    if n > 300:
        for SEEN in range(3):
            pass
    return SEEN


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
# --- unsupported: choose by `if`
import torch
import triton
import triton.language as tl

SEEN = 64


@triton.constexpr_function
def width(n, wide):
    size = 64
    if n > 300:
        return size


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
# --- unsupported: choose by `if`
import torch
import triton
import triton.language as tl

SEEN = 64


@triton.constexpr_function
def width(n, wide):
    a, b = 64, 32
    return a


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
# --- parse_reject: open
import torch
import triton
import triton.language as tl

SEEN = 64


@triton.constexpr_function
def width(n, wide):
    size = open("/etc/passwd").read()
    return 64


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = width(BLOCK, True)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, width(BLOCK, 1 > 0))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 64))](x, y, x.stride(0), n, BLOCK=16)
    return y
