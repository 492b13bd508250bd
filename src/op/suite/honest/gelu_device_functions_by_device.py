# op: gelu
# about: functions that kernels call, in both halves of an `if`
import os
import torch
import triton
import triton.language as tl
from packaging import version

TRITON_3 = version.parse(triton.__version__) >= version.parse("3.0.0")

if TRITON_3:
    from triton.language.extra import libdevice

    @triton.jit
    def _tanh(x):
        return libdevice.tanh(x)
else:
    @triton.jit
    def _tanh(x):
        return tl.math.tanh(x)

if torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 9:
    @triton.jit
    def _load_row(ptr, cols, mask):
        return tl.load(ptr + cols, mask=mask, other=0.0, eviction_policy="evict_first")
    DEFAULT_WARPS = 8
else:
    @triton.jit
    def _load_row(ptr, cols, mask):
        return tl.load(ptr + cols, mask=mask, other=0.0)
    DEFAULT_WARPS = 4

_DEBUG = os.getenv("DEBUG", "0") == "1"


@triton.jit
def gelu_fwd(x_ptr, y_ptr, sx, sy, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n
    x = _load_row(x_ptr + row * sx, cols, mask).to(tl.float32)
    y = 0.5 * x * (1.0 + _tanh(0.79788456080286535588 * x * (1.0 + 0.044715 * x * x)))
    tl.store(y_ptr + row * sy + cols, y, mask=mask)


def run(x):
    m, n = x.shape
    y = torch.empty_like(x)
    if _DEBUG:
        print(f"[gelu] {m}x{n} {x.dtype}", flush=True)
    gelu_fwd[(m, triton.cdiv(n, 1024))](x, y, x.stride(0), y.stride(0), n, BLOCK=1024, num_warps=DEFAULT_WARPS)
    return y
