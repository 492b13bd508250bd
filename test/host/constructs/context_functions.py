import contextlib
import logging
import time
from contextlib import contextmanager, nullcontext

logger = logging.getLogger(__name__)
DEBUG = False


@contextmanager
def on(x):
    """The device of a tensor."""
    with torch.cuda.device(x.device):
        yield x


@contextlib.contextmanager
def timed(name, unit="s"):
    torch.cuda.synchronize()
    start = time.perf_counter()
    try:
        yield
    finally:
        torch.cuda.synchronize()
        took = time.perf_counter() - start
        logger.debug(f"{name}: {took:.3f} {unit}")
        if DEBUG:
            print(name, took * 1000, unit)


@contextmanager
def quiet():
    yield


@quiet()
def helper(x):
    return launch(x, 128)


def run(x):
    with on(x) as z, timed("run", unit="ms"), torch.no_grad():
        with nullcontext(z) as w:
            y = launch(w) if x.shape[0] > 1 else helper(w)
    with contextlib.nullcontext() as none:
        assert none is None
    with timed("again") as none:
        return y if none is None else torch.empty_like(x)
# --- incorrect: wrong
from contextlib import contextmanager


@contextmanager
def on(x, other):
    yield other


def run(x):
    first = x[:1].expand(x.shape[0], x.shape[1])
    with on(x, first) as z:
        return launch(z)
# --- unsupported: contextmanager
from contextlib import contextmanager


@contextmanager
def swallows(x):
    try:
        yield x
    except RuntimeError:
        pass


def run(x):
    with swallows(x) as z:
        return launch(z)
# --- parse_reject: may not be changed
from contextlib import contextmanager


class Calls:
    seen = 0


@contextmanager
def counted(calls):
    calls.seen = calls.seen + 1
    yield


def run(x):
    with counted(Calls()):
        return launch(x)
# --- parse_reject: time
import time
from contextlib import contextmanager


@contextmanager
def timed():
    yield time.perf_counter()


def run(x):
    with timed() as t:
        return launch(x, 256 if t > 3 else 128)
# --- unsupported: contextmanager
from contextlib import contextmanager


@contextmanager
def halved(x):
    yield x
    yield x


def run(x):
    with halved(x) as z:
        return launch(z)
# --- unsupported: suppress
import contextlib


def run(x):
    y = torch.empty_like(x)
    with contextlib.suppress(RuntimeError):
        y = launch(x)
    return y
