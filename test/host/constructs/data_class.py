from dataclasses import dataclass

import torch
import triton
import triton.language as tl


@dataclass
class Plan:
    """How a launch is cut."""

    rows: int
    block: int = 128
    warps: int = 4

    def twice(self):
        return Plan(self.rows, self.block * 2)


@dataclass(frozen=True)
class Fixed:
    n: int = 3


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    plan = Plan(m, warps=8).twice()
    assert plan.warps == 4 and Plan.block == 128 and Fixed().n == 3 and isinstance(plan, Plan) and not isinstance(plan, Fixed)
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(plan.rows, triton.cdiv(n, plan.block))](x, y, x.stride(0), n, BLOCK=plan.block, num_warps=plan.warps)
    return y
# --- unsupported: data classes are not compared
from dataclasses import dataclass
import torch, triton


@dataclass
class Plan:
    n: int


def run(x):
    if Plan(3) == Plan(3):
        return torch.empty_like(x)
    return torch.empty_like(x)
# --- host_error: missing 1 required positional argument
import dataclasses
import torch, triton


@dataclasses.dataclass
class Plan:
    n: int
    m: int = 3


def run(x):
    return torch.empty((Plan().n,), device=x.device)
# --- wrong_shape: shape [0]
from dataclasses import dataclass, field
import torch, triton


@dataclass
class Plan:
    n: list = field(default_factory=list)


def run(x):
    return torch.empty((len(Plan().n),), device=x.device)
# --- wrong_shape: shape [4]
from dataclasses import dataclass
import torch, triton


@dataclass
class Plan:
    n: int = 3

    def __post_init__(self):
        self.n = 4


def run(x):
    return torch.empty((Plan().n,), device=x.device)
# --- unsupported: class
from dataclasses import dataclass
import torch, triton


@dataclass(order=True)
class Plan:
    n: int = 3


def run(x):
    return torch.empty((Plan().n,), device=x.device)
# --- unsupported: class
from dataclasses import dataclass
import torch, triton


@dataclass(frozen=True)
class Plan:
    n: int = 3

    def change(self):
        self.n = 4
        return self.n


def run(x):
    return torch.empty((Plan().change(),), device=x.device)
# --- unsupported: a data class as a key
from dataclasses import dataclass
import torch, triton


@dataclass
class Plan:
    n: int = 3


def run(x):
    return torch.empty_like(x) if {Plan(): 1} else x
# --- unsupported: class
import torch, triton
from dataclasses import dataclass


def dataclass(c):
    return c


@dataclass
class Plan:
    n: int = 3


def run(x):
    return torch.empty((Plan().n,), device=x.device)
