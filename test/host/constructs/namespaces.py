import types
from types import SimpleNamespace

PLAN = SimpleNamespace(block=256, warps=4, inner=SimpleNamespace(rows=1))


def plan_of(n):
    return types.SimpleNamespace(block=min(PLAN.block, triton.next_power_of_2(n)), name="plan")


def run(x):
    plan = plan_of(x.shape[1])
    assert plan.name == "plan" and PLAN.inner.rows == 1
    return launch(x, plan.block)
# --- parse_reject: may not be changed
from types import SimpleNamespace

SEEN = SimpleNamespace(calls=0)


def run(x):
    SEEN.calls = SEEN.calls + 1
    return launch(x) if SEEN.calls < 10000 else torch.empty_like(x)
# --- unsupported: compar
from types import SimpleNamespace


def run(x):
    return launch(x, 256 if SimpleNamespace(a=1) == SimpleNamespace(a=1) else 128)
# --- compile_fail: power of 2
from types import SimpleNamespace

PLAN = SimpleNamespace(block=3)


def run(x):
    return launch(x, PLAN.block)
# --- unsupported: SimpleNamespace
from types import SimpleNamespace

FIELDS = {"block": 256}


def run(x):
    return launch(x, SimpleNamespace(**FIELDS).block)
