import torch
import triton
import triton.language as tl
from packaging import version

if version.parse(triton.__version__) >= version.parse("3.0.0"):
    from triton.language.extra import libdevice
    fast_abs = libdevice.abs
else:
    fast_abs = tl.math.abs


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
    x = (x + fast_abs(x)) * 0.5
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- unsupported: module level
if triton.__version__ > "3.5.1":
    print = launch


def run(x):
    return print(x)
# --- compile_fail: power of 2
BLOCK = 256
if triton.__version__ >= "3.0.0":
    BLOCK = 3


def run(x):
    return launch(x, BLOCK)
