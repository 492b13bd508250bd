import sys

import torch
import triton
import triton.language as tl
from packaging import version

if version.parse(torch.__version__) >= version.parse("2.4"):
    BLOCK_SIZE = 256
else:
    BLOCK_SIZE = 3
if sys.version_info >= (3, 8):
    WARPS = 4
else:
    WARPS = 3


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, BLOCK_SIZE))](x, y, x.stride(0), n, BLOCK=BLOCK_SIZE, num_warps=WARPS)
    return y
# --- compile_fail: power of 2
from packaging import version

SIZE = 3 if version.parse(torch.__version__) >= version.parse("2.4") else 256
if version.parse(torch.__version__) >= version.parse("2.4"):
    SIZE_OF_BLOCK = 3
else:
    SIZE_OF_BLOCK = 256


def run(x):
    return launch(x, SIZE_OF_BLOCK)
# --- unsupported: torch.__version__
def run(x):
    return launch(x, 256 if torch.__version__.startswith("2") else 128)
