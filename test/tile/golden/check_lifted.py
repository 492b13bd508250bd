# Choices inside the function of a reduction: types of arms and results.

# case: arms-agree
# launch: *fp32
# ok
@triton.jit
def f(a, b):
    if a > b:
        r = a
    else:
        r = b
    return r
@triton.jit
def k(x):
    v = tl.reduce(tl.load(x + tl.arange(0, 8)), 0, f)
    tl.static_assert(v.dtype == tl.float32)

# case: arms-differ
# launch: *fp32
# error: Mismatched type for r between then block
@triton.jit
def f(a, b):
    if a > b:
        r = a
    else:
        r = 1
    return r
@triton.jit
def k(x):
    v = tl.reduce(tl.load(x + tl.arange(0, 8)), 0, f)

# case: one-arm-only
# launch: *fp32
# error: r is not defined
@triton.jit
def f(a, b):
    if a > b:
        r = a
    return r
@triton.jit
def k(x):
    v = tl.reduce(tl.load(x + tl.arange(0, 8)), 0, f)

# case: returns-differ
# launch: *fp32
# error: Inconsistent return types
@triton.jit
def f(a, b):
    if a > b:
        return a
    return 1
@triton.jit
def k(x):
    v = tl.reduce(tl.load(x + tl.arange(0, 8)), 0, f)

# case: ternary-types
# launch: *fp32
# error: Ternary expression with dynamic condition has inconsistent types
@triton.jit
def f(a, b):
    return a if a > b else 1
@triton.jit
def k(x):
    v = tl.reduce(tl.load(x + tl.arange(0, 8)), 0, f)
