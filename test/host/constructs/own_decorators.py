import contextlib
import functools


def guard(fn):
    """Contiguous inputs, and their device."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        contiguous_args = (i if not isinstance(i, torch.Tensor) else i.contiguous() for i in args)
        contiguous_kwargs = {k: (v if not isinstance(v, torch.Tensor) else v.contiguous()) for k, v in kwargs.items()}
        tensor = None
        for arg in args:
            if isinstance(arg, torch.Tensor):
                tensor = arg
                break
        if tensor is not None:
            ctx = torch.cuda.device(tensor.device.index)
        else:
            ctx = contextlib.nullcontext()
        with ctx:
            return fn(*contiguous_args, **contiguous_kwargs)

    return wrapper


def checked(rank=2, *, name="op"):
    def deco(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            assert args[0].dim() == rank, f"{name} wants {rank} dimensions"
            return fn(*args, **kwargs)

        return wrapper

    return deco


@checked(2, name="relu2")
def once(x, block=None):
    return launch(x, 256 if block is None else block)


@guard
def run(x, block=None):
    return once(x) if block is None else once(x, block)
# --- uncovered_output: unwritten
def guard(fn):
    def wrapper(*args, **kwargs):
        args = [i.contiguous() if isinstance(i, torch.Tensor) else i for i in args]
        made = fn(*args, **kwargs)
        return torch.empty_like(made)

    return wrapper


@guard
def run(x):
    return launch(x)
# --- parse_reject: a decorator of the file's own
KEPT = {}


def register(name):
    def deco(fn):
        KEPT[name] = fn
        return fn

    return deco


@register("relu2")
def run(x):
    KEPT["relu2"] = launch
    return launch(x)
# --- host_error: AssertionError: relu2 wants 3
def checked(rank):
    def deco(fn):
        def wrapper(*args, **kwargs):
            assert args[0].dim() == rank, f"relu2 wants {rank}"
            return fn(*args, **kwargs)

        return wrapper

    return deco


@checked(3)
def run(x):
    return launch(x)
# --- uncovered_output: unwritten
def isinstance(x, t):
    return False


def guard(fn):
    def wrapper(*args, **kwargs):
        return fn(*(i.contiguous() if isinstance(i, torch.Tensor) else torch.empty_like(i) for i in args), **kwargs)

    return wrapper


@guard
def run(x):
    return x
