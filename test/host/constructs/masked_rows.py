import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + rows.to(tl.int64) * stride + tl.minimum(cols, n - 1), mask=rows < m)
    x = tl.maximum(x.to(tl.float32), 0.0)
    none = tl.sum(tl.where(x > 0, 0.0, 0.0), axis=1)[:, None] + tl.argmax(x, axis=1)[:, None] * 0
    tl.store(y_ptr + rows * n + cols, x * x + none, mask=(rows < m) & (cols < n))


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(triton.cdiv(m, 4),)](x, y, x.stride(0), m, n, ROWS=4, BLOCK=512)
    return y
# --- uninit_read: an undefined value reached tl.sum, and its result a store
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + rows.to(tl.int64) * stride + tl.minimum(cols, n - 1), mask=rows < m)
    x = tl.maximum(x.to(tl.float32), 0.0)
    none = tl.sum(tl.where(x > 0, 0.0, 0.0), axis=0)[None, :]
    tl.store(y_ptr + rows * n + cols, x * x + none, mask=(rows < m) & (cols < n))


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(triton.cdiv(m, 4),)](x, y, x.stride(0), m, n, ROWS=4, BLOCK=512)
    return y
# --- uninit_read: an undefined value reached tl.max, and its result a branch
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n)
    if tl.max(x, axis=0) > 1e30:
        tl.store(y_ptr, 0.0)
    x = tl.maximum(x.to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m,)](x, y, x.stride(0), n, BLOCK=512)
    return y
# --- uninit_read: an undefined value reached tl.argmax, and its result an address
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n)
    top = tl.load(x_ptr + row * stride + tl.argmax(x, axis=0))
    x = tl.maximum(x.to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x + top * 0, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m,)](x, y, x.stride(0), n, BLOCK=512)
    return y
