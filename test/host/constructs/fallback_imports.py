try:
    from triton.language.extra.cuda import libdevice as known

    tanh = known.tanh
except ImportError:
    try:
        from triton.language.math import tanh
    except ImportError:
        from triton.language.libdevice import tanh
try:
    from liger_kernel.ops.utils import ensure_contiguous
except ImportError:
    import functools

    def ensure_contiguous(fn):
        return fn


@ensure_contiguous
def run(x):
    return launch(x)
# --- unsupported: import of `nothing_there`
try:
    from triton.language.math import tanh_of_nothing
except ImportError:
    from somewhere import nothing_there


def run(x):
    return launch(nothing_there(x))
