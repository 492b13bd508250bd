class Sizes:
    WIDE = 300


def pick(n):
    seen = []

    def subject():
        seen.append(n)
        return n

    match subject():
        case 299:
            return 3
        case Sizes.WIDE if (half := len(seen)) == 1:
            return 256 * half
        case seen:
            return 3


def run(x):
    match (x.ndim, x.shape[1], True):
        case (True, _, _):
            return launch(x, 3)
        case (2, 1.5, _) | (_, _, None):
            return launch(x, 3)
        case (2, n, True):
            return launch(x, pick(n))
# --- compile_fail: power of 2
def run(x):
    match 1:
        case True:  # Python asks `is`
            return launch(x)
        case 1.0:
            return launch(x, 3)
# --- compile_fail: power of 2
def run(x):
    size = 256
    match size:
        case size if size > 1000:
            return launch(x)
        case _:
            return launch(x, size + 1)
# --- host_error: UnboundLocalError
def run(x):
    match x.ndim:
        case 3:
            size = 256
    return launch(x, size)
# --- host_error: object is not subscriptable
def run(x):
    match x.ndim:
        case relu2:
            relu2[(1,)](x)
    return launch(x)
# --- compile_fail: unsupported AST node type
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    match BLOCK:
        case 256:
            tl.store(y_ptr, tl.load(x_ptr))


def run(x):
    y = torch.empty_like(x)
    k[(1,)](x, y, 3, BLOCK=256)
    return y
# --- unsupported: at its beginning
def outer(n):
    def inner():
        n = 1
        from math import floor

        return floor(n)

    return inner() + floor(n)


def run(x):
    return launch(x, outer(255))
# --- unsupported: at its beginning
def size(n):
    n += 1
    from math import floor

    del floor
    return floor(n)


def run(x):
    return launch(x, size(255))
# --- unsupported: at its beginning
def floor(n):
    return n


def size(n):
    n += 0.5
    from math import floor

    return floor(n)


def run(x):
    return launch(x, size(256))
# --- parse_reject: import
def run(x):
    size = 256
    from math import floor as tl

    return launch(x, size)
