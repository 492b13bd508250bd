def pairs():
    for block in (128, 256):
        for warps in (4, 8):
            yield block, warps


def run(x):
    assert list(pairs()) == [(128, 4), (128, 8), (256, 4), (256, 8)]
    best = 0
    for block, _ in pairs():
        best = max(best, block)
    return launch(x, best)
# --- unsupported: gone through at once
def sizes():
    yield 128
    yield 256


def run(x):
    it = sizes()
    return launch(x, max(it))
