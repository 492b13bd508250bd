# op: gelu
# about: an Enum of texts, a SimpleNamespace, a partial
import functools
from enum import Enum
from types import SimpleNamespace
from typing import Literal, Union
import torch
import triton
import triton.language as tl


class Approx(str, Enum):
    TANH = "tanh"
    NONE = "none"


CFG = SimpleNamespace(block=1024, num_warps=4)


@triton.jit
def _tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def gelu_kernel(x_ptr, y_ptr, sx, n, BLOCK: tl.constexpr, TANH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + c, mask=c < n, other=0.0).to(tl.float32)
    if TANH:
        y = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    else:
        y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + row * n + c, y, mask=c < n)


def gelu(x: torch.Tensor, approximate: Union[Approx, Literal["tanh", "none"]] = Approx.TANH) -> torch.Tensor:
    mode = Approx(approximate)
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    gelu_kernel[(m, triton.cdiv(n, CFG.block))](x, y, x.stride(0), n, BLOCK=CFG.block, TANH=mode == Approx.TANH, num_warps=CFG.num_warps)
    return y


tanh_gelu = functools.partial(gelu, approximate="tanh")


def run(x):
    return tanh_gelu(x)
