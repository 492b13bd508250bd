def sizes():
    return [256, 128]


def pick(*args, **kwargs):
    return kwargs.get("block", 3)


def run(x):
    it = (s for s in sizes() if s > 128)
    head, *rest = sizes()
    text = f"{x.shape[0]}x{x.shape[1]!r}"
    return launch(x, pick(block=list(it)[0] if head == 256 and text else 3))
# --- unsupported: yield
def sizes():
    yield 256


def run(x):
    it = sizes()
    for s in it:
        return launch(x, s)
# --- unsupported: .format
def run(x):
    print("{}x{}".format(*x.shape))
    return launch(x)
# --- unsupported: format specifications
def run(x):
    print(f"{x.shape[0]:>4d}")
    return launch(x)
# --- parse_reject: next
def run(x):
    sizes = (s for s in (256, 128))
    return launch(x, next(sizes))
