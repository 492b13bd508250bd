import contextlib
from contextlib import ExitStack, contextmanager
from typing import TypeAlias
from enum import Enum, auto
import torch
import triton
import triton.language as tl

Shape: TypeAlias = tuple[int, int]


class Mode(Enum):
    A = auto()
    B = auto()


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


@contextmanager
def named(name):
    torch.cuda.nvtx.range_push(name)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_pop()


def run(x):
    shape: Shape = (x.shape[0], x.shape[1])
    assert len(Mode) == 2
    y = torch.empty(shape, dtype=x.dtype, device=x.device)
    with ExitStack() as stack:
        if x.is_cuda:
            stack.enter_context(torch.cuda.device(x.device))
        with named("relu2"):
            relu2[(shape[0], triton.cdiv(shape[1], 256))](x, y, x.stride(0), shape[1], BLOCK=256)
    return y
# --- unsupported: with:
import contextlib


def run(x):
    with contextlib.ExitStack() as stack:
        stack.callback(launch, x)
        return launch(x)
