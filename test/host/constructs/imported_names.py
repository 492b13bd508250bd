import itertools
from itertools import product
from math import pow
from typing import NamedTuple

from torch.nn import Parameter

SIZES = [a * b for a, b in product([2, 4], [32, 64])]


def run(x):
    assert list(itertools.product("ab", (1, 2))) == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert list(product()) == [()] and list(product([1], [])) == []
    return launch(x, int(pow(2, 8)) if SIZES == [64, 128, 128, 256] else 3)
# --- host_error: math.pow() takes 2
from math import pow


def run(x):
    return launch(x, 3 if pow(7, 2, 5) == 4 else 256)
# --- unsupported: itertools
import itertools


def run(x):
    return launch(x, len(itertools.count(256)))
# --- unsupported: Parameter
from torch.nn import Parameter


def run(x):
    return launch(Parameter(x))
