import torch
import triton
import triton.language as tl
from flag_gems.utils import libentry as entry


@entry()
@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- unsupported: import of `fancy_cache` from `mine.tuning`
import torch
import triton
import triton.language as tl
from mine.tuning import fancy_cache


@fancy_cache("relu2")
@triton.jit
def relu2(x_ptr):
    tl.store(x_ptr, 1)


def run(x):
    return x
# --- unsupported: @`torch.fancy.cache`
import torch
import triton
import triton.language as tl


@torch.fancy.cache()
@triton.jit
def relu2(x_ptr):
    tl.store(x_ptr, 1)


def run(x):
    relu2[(1,)](x)
    return x
# --- parse_reject: a decorator of the file's own
import torch
import triton
import triton.language as tl


def mine(f):
    return f


@mine
@triton.jit
def relu2(x_ptr):
    tl.store(x_ptr, 1)


def run(x):
    relu2[(1,)](x)
    return x
