import dataclasses
from dataclasses import asdict, dataclass, field, replace
from typing import ClassVar
import torch
import triton
import triton.language as tl


@dataclass
class Plan:
    LIMIT: ClassVar[int] = 4
    block: int
    warps: int = field(default=4, repr=False)
    options: dict = field(default_factory=dict)
    sizes: list = field(init=False, default_factory=lambda: [1, 2])

    def __post_init__(self):
        if self.warps & (self.warps - 1):
            raise ValueError("{} warps".format(self.warps))
        self.sizes.append(self.block)

    def __repr__(self):
        return f"Plan({self.block})"

    @classmethod
    def of(cls, n):
        return cls(triton.next_power_of_2(n))


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    m: int
    n: int = 1


BASE = Plan(64)


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    shape = Shape(m=x.shape[0], n=x.shape[1])
    plan = Plan.of(shape.n)
    plan = replace(plan, block=256)
    one, two = Plan(1), Plan(2)
    one.options["num_stages"] = 3
    assert not two.options and one.sizes == [1, 2, 1] and two.sizes == [1, 2, 2] and BASE.sizes == [1, 2, 64]
    assert Plan.LIMIT == 4 and plan.block == 256 and plan.warps == 4 and Plan.of(100).block == 128
    y = torch.empty((shape.m, shape.n), dtype=x.dtype, device=x.device)
    relu2[(shape.m, triton.cdiv(shape.n, plan.block))](x, y, x.stride(0), shape.n, BLOCK=plan.block, num_warps=plan.warps, **one.options)
    return y
# --- host_error: ValueError: 3 warps
from dataclasses import dataclass, field


@dataclass
class Plan:
    warps: int = 4
    sizes: list = field(default_factory=list)

    def __post_init__(self):
        if self.warps & (self.warps - 1):
            raise ValueError("{} warps".format(self.warps))


def run(x):
    return launch(x, Plan(3).warps)
# --- unsupported: class
from dataclasses import dataclass, field


def make(kind):
    return kind()


@dataclass
class Plan:
    sizes: list = field(default_factory=list)


def run(x):
    return launch(x, 256 + len(make(Plan).sizes))
# --- parse_reject: change
from dataclasses import dataclass, field


@dataclass
class Plan:
    sizes: list = field(default_factory=list)


BASE = Plan()


def run(x):
    BASE.sizes.append(256)
    return launch(x, BASE.sizes[0])
