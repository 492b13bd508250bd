import logging

import torch
import triton
import triton.language as tl
from flag_gems.utils import libentry
from flag_gems.utils import triton_lang_extension as tle

logger = logging.getLogger(__name__.lstrip("."))


@libentry()
@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tle.program_id(0)
    cols = tle.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.static_assert(row.dtype == tl.int64)
    tl.static_assert(tle.num_programs(0).dtype == tl.int64)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    logger.debug("GEMS RELU2")
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- unsupported: only what src/host/normalize/foreign.def lists is known
import torch
import triton
import triton.language as tl
from flag_gems.utils import triton_lang_extension as tle


@triton.jit
def relu2(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tle.secret(0)
    tl.store(y_ptr + row, tl.load(x_ptr + row))


def run(x):
    y = torch.empty_like(x)
    relu2[(1,)](x, y, 3, BLOCK=256)
    return y
# --- parse_reject: `logging`
import logging

logger = logging.getLogger(__name__.join("."))


def run(x):
    return launch(x)
# --- unsupported: write them down: configs=
from flag_gems import runtime


@triton.autotune(configs=runtime.get_tuned_config("relu2"), key=["n"])
@triton.jit
def tuned(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    pass


def run(x):
    return launch(x)
# --- unsupported: its functions stand in a file
from flag_gems import runtime


@triton.heuristics(runtime.get_heuristic_config("relu2"))
@triton.jit
def tuned(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    pass


def run(x):
    return launch(x)
