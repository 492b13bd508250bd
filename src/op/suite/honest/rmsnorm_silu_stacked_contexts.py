# op: rmsnorm_silu
# about: a plain Enum asked by `is`, assertions of the module, an ExitStack
import contextlib
from enum import Enum, auto
from typing import NamedTuple, Optional

import torch
import triton
import triton.language as tl


class Activation(Enum):
    NONE = auto()
    SILU = auto()
    RELU = auto()


class Meta(NamedTuple):
    rows: int
    cols: int
    block: int
    warps: int


assert Activation.SILU is not Activation.RELU
assert len(Activation) == 3, "keep the kernel in step with the enum"


@triton.jit
def fused_kernel(x_ptr, w_ptr, y_ptr, stride, n, eps, SILU: tl.constexpr, RELU: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.).to(tl.float32)
    h = x * tl.rsqrt(tl.sum(x * x, axis=0) / n + eps) * w
    if SILU:
        h = h * tl.sigmoid(h)
    elif RELU:
        h = tl.maximum(h, 0.)
    tl.store(y_ptr + row * n + cols, h, mask=mask)


def plan(x: torch.Tensor) -> Meta:
    m, n = x.shape
    block = triton.next_power_of_2(n)
    warps = {True: 4, False: 8}[block <= 2048]
    return Meta(rows=m, cols=n, block=block, warps=warps)


def rmsnorm_act(x, w, act: Optional[Activation] = None, *, eps: float = 1e-6):
    act = act or Activation.NONE
    meta = plan(x)
    y = torch.empty((meta.rows, meta.cols), device=x.device, dtype=x.dtype)
    with contextlib.ExitStack() as stack:
        if x.is_cuda:
            stack.enter_context(torch.cuda.device(x.device))
        fused_kernel[(meta.rows,)](
            x, w, y, x.stride(0), meta.cols, eps,
            SILU=act is Activation.SILU, RELU=act is Activation.RELU,
            BLOCK=meta.block, num_warps=meta.warps,
        )
    return y


def run(x, w):
    return rmsnorm_act(x, w, Activation.SILU)
