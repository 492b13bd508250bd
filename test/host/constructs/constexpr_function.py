import torch
import triton
import triton.language as tl


@triton.constexpr_function
def doubled(n):
    return n * 2


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, doubled(128)))](x, y, x.stride(0), n, BLOCK=doubled(128))
    return y
# --- unsupported: choose by `if`
import torch
import triton
import triton.language as tl


@triton.constexpr_function
def doubled(n):
    for i in range(1):
        n = n * 2
    return n


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


@triton.constexpr_function
def doubled(n):
    return n * 2 + 1


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
# --- unsupported: on constexprs
import torch
import triton
import triton.language as tl


@triton.constexpr_function
def doubled(n):
    return n * 2


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    SIZE: tl.constexpr = 256
    stride = doubled(stride) // 2
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * SIZE + tl.arange(0, doubled(BLOCK))
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, doubled(128)))](x, y, x.stride(0), n, BLOCK=128)
    return y
# --- parse_reject: open
import torch
import triton
import triton.language as tl


@triton.constexpr_function
def doubled(n):
    return open("/etc/passwd").read()


def run(x):
    return torch.empty((doubled(2),))
