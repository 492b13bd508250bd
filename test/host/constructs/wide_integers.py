def run(x):
    h = (x.shape[1] * 2654435761) & 0xFFFFFFFFFFFFFFFF
    assert h % 2**64 == h and h & (2**64 - 1) == h and ((1 << 64) - 1) & h == h
    return launch(x)
# --- unsupported: stands here only where it is used
MASK = 2**64 - 1


def run(x):
    return launch(x, 256 & MASK)
# --- unsupported: a negative number's lowest 64 bits
def run(x):
    return launch(x, -1 & 0xFFFFFFFFFFFFFFFF)
# --- compile_fail: power of 2
def run(x):
    return launch(x, 3 & (2**64 - 1))
# --- host_error: within -2**63 to 2**63 - 1
def run(x):
    return launch(x, 2**64 + x.shape[1])
