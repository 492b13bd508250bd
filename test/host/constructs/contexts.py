import contextlib
from contextlib import nullcontext


def guard(x):
    return torch.cuda.device(x.device) if x.is_cuda else nullcontext()


def run(x):
    always = torch.cuda.device(x.device.index)
    with guard(x), always, contextlib.nullcontext():
        with torch.no_grad():
            y = launch(x)
    return y
# --- unsupported: with:
def opened(x):
    return [x]


def run(x):
    with opened(x):
        return launch(x)
# --- unsupported: with:
def run(x):
    with torch.cuda.device(x.device) as y:
        return launch(x)
# --- unsupported: `contextlib.ExitStack`
import contextlib


def run(x):
    with contextlib.ExitStack():
        return launch(x)
# --- parse_reject: NameError
def run(x):
    with contextlib.nullcontext():
        return launch(x)
# --- unsupported: with:
class Timer:
    def __init__(self):
        self.n = 0


def run(x):
    with Timer():
        return launch(x)
# --- host_error: name 'no_grad' is not defined
def run(x):
    with no_grad():
        return launch(x)
# --- unsupported: no_grad
def run(x):
    with x.no_grad():
        return launch(x)
