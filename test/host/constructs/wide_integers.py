def run(x):
    h = (x.shape[1] * 2654435761) & 0xFFFFFFFFFFFFFFFF
    assert h % 2**64 == h and h & (2**64 - 1) == h and ((1 << 64) - 1) & h == h
    return launch(x)
# --- unsupported: integers beyond 64 bits
MASK = 2**64 - 1


def run(x):
    return launch(x, 256 & MASK)
# --- unsupported: integers beyond 64 bits
def run(x):
    return launch(x, -1 & 0xFFFFFFFFFFFFFFFF)
# --- compile_fail: power of 2
def run(x):
    return launch(x, 3 & (2**64 - 1))
