import warnings
from packaging.version import Version

if Version(triton.__version__) >= Version("3.0.0"):

    def first(x):
        return launch(x, 128)
else:

    def first(x):
        return None


if torch.cuda.get_device_capability()[0] >= 9:
    SIZE = 512

    def second(x):
        return launch(x, SIZE)
elif torch.cuda.get_device_capability()[0] >= 8:
    SIZE = 256

    def second(x):
        return launch(x, SIZE)
else:
    warnings.warn("an old device")
    SIZE = 64

    def second(x):
        return launch(x)


try:
    import apex

    HAS = True

    def third(x):
        return second(x)
except ImportError:
    HAS = False

    def third(x):
        return launch(x, 64)


def run(x):
    return first(x) if x.shape[0] == 1 else third(x)
# --- uncovered_output: unwritten
if torch.cuda.get_device_capability()[0] >= 9:

    def go(x):
        return launch(x)
else:

    def go(x):
        return torch.empty_like(x)


def run(x):
    return go(x)
# --- unsupported: try:
try:
    from apex import relu2 as fast

    def go(x):
        return fast(x)
except ImportError:

    def go(x):
        return launch(x)


def run(x):
    return go(x)
# --- unsupported: module level
if torch.cuda.get_device_capability()[0] >= 9:

    def go(x):
        return launch(x)


def run(x):
    return go(x)
# --- unsupported: module level
if torch.cuda.get_device_capability()[0] >= 9:

    @triton.jit
    def other(x):
        return x


@triton.jit
def calls_it(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, other(tl.load(x_ptr + cols, mask=cols < n)), mask=cols < n)


def run(x):
    return launch(x)
