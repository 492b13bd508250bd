import functools


def with_options(x, block, unused=1, other=2):
    assert unused == 7 and other == 2
    return launch(x, block)


run = functools.partial(with_options, block=256, unused=7)
# --- host_error: missing 1 required
import functools


def two(x, y, block):
    return launch(x, block)


run = functools.partial(two, block=256)
# --- parse_reject: there is no function `run`
import functools

run = functools.partial(relu2, n=3)
# --- compile_fail: power of 2
from functools import partial

run = partial(launch, BLOCK=3)
# --- parse_reject: NameError: the file does not import it
run = functools.partial(launch, BLOCK=256)
# --- ok: Accepted
import functools
from enum import Enum


class Kind(Enum):
    SUM = 256


def of_kind(x, unused, kind=Kind.SUM):
    return launch(x, kind.value)


run = functools.partial(of_kind, unused=3)
# --- parse_reject: there is no function `run`
import functools


class Kind:
    block = 256


KIND = Kind()


def of_kind(x, unused, block=KIND.block):
    return launch(x, block)


run = functools.partial(of_kind, unused=3)
