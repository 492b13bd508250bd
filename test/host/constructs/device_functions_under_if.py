# A function that kernels call, in both halves; one that calls it, too.
import torch
import triton
import triton.language as tl
from packaging import version

if version.parse(triton.__version__) >= version.parse("3.0.0"):
    from triton.language.extra import libdevice

if torch.cuda.get_device_capability()[0] >= 9:
    @triton.jit
    def load_row(p, mask):
        return tl.load(p, mask=mask, other=0.0, eviction_policy="evict_first").to(tl.float32)
    WARPS = 8
else:
    @triton.jit
    def load_row(p, mask):
        return tl.load(p, mask=mask, other=0.0).to(tl.float32)
    WARPS = 4


@triton.jit
def positive(p, mask):
    return tl.maximum(load_row(p, mask), 0.0)


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = positive(x_ptr + row * stride + cols, cols < n)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256, num_warps=WARPS)
    return y
# --- uninit_read: undefined
import torch
import triton
import triton.language as tl

if torch.cuda.get_device_capability()[0] >= 9:
    @triton.jit
    def load_row(p, mask):
        return tl.load(p, mask=mask).to(tl.float32)
else:
    @triton.jit
    def load_row(p, mask):
        return tl.load(p, mask=mask, other=0.0).to(tl.float32)


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.maximum(load_row(x_ptr + row * stride + cols, cols < n), 0.0)
    tl.store(y_ptr + row * n + cols, x * x + 0.0 * tl.sum(x, 0), mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
