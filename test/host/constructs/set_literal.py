ALLOWED = {64, 128, 256}


def run(x):
    sizes = {s * 2 for s in (32, 128) if s}
    assert x.dtype in {torch.float16, torch.bfloat16, torch.float32}
    return launch(x, max(sizes) if 256 in ALLOWED and len({1, 1, 2}) == 2 else 3)
# --- unsupported: order of a set
def run(x):
    for b in {256, 64}:
        return launch(x, b)
# --- ok: Accepted
WORDS = frozenset(("a", "b"))


def run(x):
    return launch(x, 256 if "a" in WORDS else 3)
# --- parse_reject: the module holds this value
WORDS = frozenset((64, 128))


def run(x):
    WORDS.add(x.shape[1])
    return launch(x)
