KERNELS = {}


def register(name):
    """Adds a kernel."""

    def add(fn):
        if name in KERNELS:
            raise KeyError("{!r} twice".format(name))
        KERNELS[name] = fn
        return fn

    return add


@register("small")
def small(x):
    return launch(x, 128)


@register("large")
def large(x):
    return launch(x, 256)


def run(x):
    name = "small" if x.shape[1] <= 128 else "large"
    try:
        fn = KERNELS[name]
    except KeyError as e:
        print(f"[relu2] {name}")
        raise RuntimeError("no {}".format(name)) from e
    return fn(x)
# --- parse_reject: a decorator of the file's own
KERNELS = {}


def register(name):
    def add(fn):
        KERNELS[name] = fn
        return fn

    return add


@register("large")
def large(x):
    KERNELS["large"] = launch
    return launch(x, 256)


def run(x):
    return KERNELS["large"](x)
# --- host_error: KeyError
KERNELS = {}


def register(fn):
    KERNELS[fn.__name__] = fn
    return fn


@register
def large(x):
    return launch(x, 256)


def run(x):
    return KERNELS["small"](x)
# --- unsupported: try:
def run(x):
    try:
        return launch(x)
    except RuntimeError:
        return torch.empty_like(x)
