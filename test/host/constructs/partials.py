import functools
from functools import partial

go = partial(launch, BLOCK=128)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    step = functools.partial(relu2[(m, triton.cdiv(n, 256))], x, y, BLOCK=64)
    step(x.stride(0), n, BLOCK=256)
    assert partial(pow, 2)(5) == 32
    return go(x, BLOCK=256)
# --- parse_reject: NameError: the file does not import it
def run(x):
    return functools.partial(launch, x)()
# --- parse_reject: NameError: the file does not import it
from functools import partial


def run(x):
    return functools.partial(launch, x)()
# --- parse_reject: functools
import functools


def run(x):
    return functools.reduce(launch, [x])
# --- parse_reject: compute on tensors
from functools import partial

twice = partial(lambda k, x: x * k, 2)


def run(x):
    return launch(twice(x))
# --- host_error: missing 1 required
from functools import partial


def run(x):
    return partial(launch)()
# --- parse_reject: holds this value
from functools import partial

keep = partial(lambda seen, n: seen.append(n), [1])


def run(x):
    keep(3)
    return launch(x)
