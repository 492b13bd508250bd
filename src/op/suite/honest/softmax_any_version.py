# op: softmax
# about: imports that are tried in the places of two versions, a flag of theirs, settings of a logger
"""Row softmax."""
from __future__ import annotations

import logging
import warnings
from typing import Optional

import torch

try:
    import triton
    import triton.language as tl

    HAS_TRITON = True
except (ImportError, ModuleNotFoundError):
    HAS_TRITON = False

try:
    from triton.language import libdevice
except ImportError:
    from triton.language.extra import libdevice

__all__ = ["run"]

logging.basicConfig(level=logging.INFO, format="%(message)s")
logger = logging.getLogger(__name__)
logger.setLevel(logging.WARNING)


@triton.jit
def kernel(x_ptr, y_ptr, sx, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = c < N
    x = tl.load(x_ptr + row * sx + c, mask=m, other=-float("inf")).to(tl.float32)
    e = libdevice.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * sy + c, e / tl.sum(e, axis=0), mask=m)


def run(x: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    if not HAS_TRITON:
        raise RuntimeError("triton is not installed")
    rows, cols = x.shape
    logger.debug("softmax of %d x %d, %s on %s", rows, cols, x.dtype, x.device)
    if cols > 65536:
        warnings.warn(f"rows of {cols} elements", UserWarning, stacklevel=2)
    y = torch.empty_like(x)
    kernel[(rows,)](x, y, x.stride(0), y.stride(0), cols, BLOCK=triton.next_power_of_2(cols))
    return y
