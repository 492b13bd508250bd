# Rows of op.def in ops_combine.c: types, shapes, messages.

# case: reduce
# launch: *fp32
# ok
@triton.jit
def add(a, b):
    return a + b
@triton.jit
def both(a, b, c, d):
    return a + c, tl.maximum(b, d)
@triton.jit
def k(x):
    v = tl.zeros((4, 8), tl.float32)
    s = tl.reduce(v, 1, add)
    tl.static_assert(s.shape[0] == 4)
    s = tl.reduce(v, 0, add, keep_dims=True)
    tl.static_assert(s.shape[0] == 1)
    tl.static_assert(s.shape[1] == 8)
    s = tl.reduce(v, None, add)
    tl.static_assert(len(s.shape) == 0)
    s, m = tl.reduce((v, v), axis=1, combine_fn=both)
    c = tl.associative_scan(v, 1, add)
    tl.static_assert(c.shape[1] == 8)
    c, d = tl.associative_scan((v, v), 0, both, reverse=True)
    tl.static_assert(d.shape[0] == 4)

# case: reduce-function
# launch: *fp32
# error: combine_fn must be a @triton.jit function
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, tl.maximum)

# case: reduce-type
# launch: *fp32
# error: must return the types that it combines: int32, not <['4'], fp32>
@triton.jit
def add(a, b):
    return a + b + 0.5
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, add)

# case: reduce-count
# launch: *fp32
# error: must return as many values as it combines: 1
@triton.jit
def add(a, b):
    return a, b
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, add)

# case: reduce-arguments
# launch: *fp32
# error: add() missing 1 required positional argument: 'c'
@triton.jit
def add(a, b, c):
    return a
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, add)

# case: scan-axis
# launch: *fp32
# error: an axis must be a constexpr integer
@triton.jit
def add(a, b):
    return a + b
@triton.jit
def k(x):
    s = tl.associative_scan(tl.arange(0, 8), None, add)

# case: reduce-by-a-parameter
# launch: *fp32
# error: 'constexpr' object has no attribute 'fn'
@triton.jit
def g(a, b):
    return a + b
@triton.jit
def h(x, f):
    return tl.reduce(x, 0, f)
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), g))

# case: scan-by-a-parameter
# launch: *fp32
# error: 'constexpr' object has no attribute 'fn'
@triton.jit
def g(a, b):
    return a + b
@triton.jit
def h(x, f: tl.constexpr):
    return tl.associative_scan(x, 0, f)
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), g))

# case: reduce-by-a-global-function-in-a-helper
# launch: *fp32
# ok
@triton.jit
def g(a, b):
    return a + b
@triton.jit
def h(x, f):
    return tl.reduce(x, 0, g) + f
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), 1))
