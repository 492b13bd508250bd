import torch
import triton
import triton.language as tl
from flag_gems.utils import libentry


@libentry()
@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (64, 256)], key=["n"])
@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[lambda meta: (m, triton.cdiv(n, meta["BLOCK"]))](x, y, x.stride(0), n)
    return y
# --- unsupported: import
import torch
import triton
import triton.language as tl
from flag_gems.utils import libfast


@libfast()
@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n), mask=cols < n)


def run(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    copy[(1,)](x, y, x.numel(), BLOCK=64)
    return y
