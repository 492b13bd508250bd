from collections import namedtuple
from typing import NamedTuple, Optional


class Plan(NamedTuple):
    """How a launch is cut."""

    rows: int
    block: int = 256
    note: Optional[str] = None

    def twice(self):
        return Plan(self.rows, self.block * 2)

    @property
    def half(self):
        return self.block // 2


Sizes = namedtuple("Sizes", "m, n", defaults=(300,))
Other = namedtuple("Other", ["a"])


def plan(x):
    return Plan(x.shape[0], block=128)


def run(x):
    p = plan(x)
    rows, block, note = p
    s = Sizes(3)
    assert p[1] == block == 128 and p.twice().block == 256 and p.half == 64 and len(p) == 3 and note is None
    assert isinstance(p, Plan) and isinstance(p, tuple) and not isinstance(s, Plan) and s == (3, 300) and s.n == 300
    assert Other(a=1).a == 1 and p[:2] == (rows, 128)
    q = p._replace(block=64)
    kept = q._asdict()
    assert q.block == 64 and p.block == 128 and isinstance(q, Plan) and q.rows == rows and q._replace() == q
    assert list(kept) == ["rows", "block", "note"] and kept["block"] == 64 and s._replace(m=4)._asdict() == {"m": 4, "n": 300}
    return launch(x, p._replace(block=p.twice().block).block)
# --- compile_fail: power of 2
from collections import namedtuple

Plan = namedtuple("Plan", "block rows")


def run(x):
    return launch(x, Plan(256, 3)._replace(block=3)._asdict()["block"])
# --- host_error: unexpected field names
from collections import namedtuple

Plan = namedtuple("Plan", "block rows")


def run(x):
    return launch(x, Plan(256, 3)._replace(columns=3).block)
# --- unsupported: class
from typing import NamedTuple


class Plan(NamedTuple):
    block: int

    def _replace(self, block):
        return self


def run(x):
    return launch(x, Plan(256)._replace(3).block)
# --- host_error: missing 1 required positional argument
from typing import NamedTuple


class Plan(NamedTuple):
    rows: int
    block: int = 256


def run(x):
    return launch(x, Plan().block)
# --- parse_reject: only attributes of a class's own objects
from typing import NamedTuple


class Plan(NamedTuple):
    rows: int

    def change(self):
        self.rows = 3
        return self


def run(x):
    return launch(x, Plan(256).change().rows)
# --- compile_fail: power of 2
from typing import NamedTuple


class Plan(NamedTuple):
    block: int
    rows: int = 256


def run(x):
    return launch(x, Plan(3).block)
# --- unsupported: pass its items
from collections import namedtuple

Plan = namedtuple("Plan", "block rows")


def run(x):
    relu2[(1,)](x, x, Plan(256, 3), 3, BLOCK=256)
    return x
# --- unsupported: ._make
from collections import namedtuple

Plan = namedtuple("Plan", "block rows")


def run(x):
    return launch(x, Plan._make([256, 3]).block)
# --- parse_reject: compute on tensors
from typing import NamedTuple


class Both(NamedTuple):
    a: torch.Tensor
    b: torch.Tensor


def run(x):
    p = Both(x, launch(x))
    return p.a + p.b
