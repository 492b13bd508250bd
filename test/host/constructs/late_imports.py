def padded(n):
    size = n + 1
    import math
    if size > 4:
        from triton import next_power_of_2 as up

        size = up(size)
    return math.floor(size / 2)


def run(x):
    print("launch")
    from math import gcd

    return launch(x, max(padded(x.shape[1]), gcd(256, 512)))
# --- unsupported: at its beginning
def run(x):
    size = math.floor(256.0)
    import math

    return launch(x, size)
# --- parse_reject: math
import torch
import triton
import triton.language as tl


def padded(n):
    n = n + 1
    import math

    return math.floor(n / 1)


def run(x):
    return torch.empty_like(x) if math.pi > 3 else padded(3)
# --- unsupported: at its beginning
def run(x):
    if x.shape[0] > 100000:
        from math import floor
    return launch(x, floor(256.0))
# --- parse_reject: import
def run(x):
    size = 256
    import ctypes

    return launch(x, size)
# --- parse_reject: perf_counter
def run(x):
    size = 256
    from time import perf_counter

    return launch(x, size if perf_counter() > 0 else 3)
