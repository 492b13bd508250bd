import torch
import triton
import triton.language as tl
from fla.utils import IS_NVIDIA_HOPPER, IS_TF32_SUPPORTED, check_shared_mem

BLOCKS = [256] if check_shared_mem("hopper") else [128]
WARPS = [4] if IS_NVIDIA_HOPPER else [8]
MODE = "tf32" if IS_TF32_SUPPORTED else "ieee"


@triton.autotune([triton.Config({"BLOCK": b}, num_warps=w) for b in BLOCKS for w in WARPS], key=["n"])
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
# --- compile_fail: power of 2
from fla.utils import check_shared_mem


def run(x):
    return launch(x, 256 if check_shared_mem("hopper", x.device.index) else 100)
# --- compile_fail: power of 2
from fla.utils import check_shared_mem


def run(x):
    return launch(x, 100 if check_shared_mem("hopper") else 256)
# --- compile_fail: power of 2
from fla.utils import IS_NVIDIA_HOPPER


def run(x):
    return launch(x, 256 if IS_NVIDIA_HOPPER else 100)
