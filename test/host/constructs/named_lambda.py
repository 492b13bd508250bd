block_of = lambda n, most=256: min(most, triton.next_power_of_2(n))


def run(x):
    return launch(x, block_of(x.shape[1]))
# --- parse_reject: compute on tensors
twice = lambda x: x * 2


def run(x):
    return launch(twice(x))
# --- parse_reject: defaults are constants
keep = [lambda n, seen=[]: seen.append(n)]


def run(x):
    keep[0](1)
    return launch(x)
