# Calls of helpers: binding, defaults, functions as arguments.

# case: helpers
# launch: *fp32 5 B=8
# ok
@triton.jit
def pair(a, b):
    return a + b, a - b
@triton.jit
def block(B: tl.constexpr, n=4):
    return tl.arange(0, B) * n
@triton.jit
def early(n):
    if n > 3:
        return 1.0
    return 2.0
@triton.jit
def nothing(x):
    tl.store(x, 1.0)
@triton.jit
def twice(f: tl.constexpr, v):
    return f(f(v))
@triton.jit
def inc(v):
    return v + 1
@triton.jit
def k(x, n, B: tl.constexpr):
    s, d = pair(n, 2)
    o = block(B)
    p = block(B=B, n=2)
    nothing(x)
    for i in range(3):
        q = early(n)
        tl.store(x + o, q + s + d + twice(inc, i))

# case: multiple-values
# launch: *fp32
# error: load() got multiple values for argument 'pointer'
@triton.jit
def k(x):
    v = tl.load(x, pointer=x)

# case: plain-helper
# launch: *fp32
# error: Cannot access global variable helper from within @jit'ed function
def helper(v):
    return v
@triton.jit
def k(x):
    v = helper(tl.load(x))

# case: helper-inconsistent-return
# launch: *fp32 5
# error: Inconsistent return types: fp32 and int32
@triton.jit
def f(n):
    if n > 3:
        return 1.0
    return 1
@triton.jit
def k(x, n):
    tl.store(x, f(n))

# case: helper-falls-through
# launch: *fp32 5
# error: Inconsistent return types
@triton.jit
def f(n):
    if n > 3:
        return 1.0
@triton.jit
def k(x, n):
    tl.store(x, f(n))

# case: helper-missing
# launch: *fp32
# error: f() missing 1 required positional argument: 'b'
@triton.jit
def f(a, b):
    return a
@triton.jit
def k(x):
    tl.store(x, f(1.0))

# case: function-handed-on
# launch: *fp32
# error: AttributeError("'function' object has no attribute 'type'")
@triton.jit
def h(x, f):
    return f(x)
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), tl.exp))

# case: function-handed-on-constexpr
# launch: *fp32
# error: AttributeError("'function' object has no attribute 'type'")
@triton.jit
def h(x, f: tl.constexpr):
    return f(x)
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), tl.exp))

# case: function-handed-on-in-a-tuple
# launch: *fp32
# error: AttributeError("'function' object has no attribute 'type'")
@triton.jit
def h(x, f):
    return f[1](x) + f[0]
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), (1, tl.exp)))

# case: jit-function-of-tl-handed-on
# launch: *fp32
# ok
@triton.jit
def h(x, f):
    return f(x)
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), tl.sigmoid))

# case: jit-function-handed-on-in-a-tuple
# launch: *fp32
# ok
@triton.jit
def g(x):
    return x * 2
@triton.jit
def h(x, f):
    return f[1](x) + f[0]
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), (1, g)))

# case: module-handed-on
# launch: *fp32
# error: AttributeError("module 'triton.language.math' has no attribute 'type'")
@triton.jit
def h(x, f):
    return f.exp(x)
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), tl.math))

# case: method-handed-on
# launch: *fp32
# error: AttributeError("'BoundJITMethod' object has no attribute 'type'")
@triton.jit
def h(x, f):
    return x
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), i.sum))

# case: default-text-of-a-helper
# launch: *fp32
# error: AttributeError("'str' object has no attribute 'type'")
@triton.jit
def h(x, f: tl.constexpr = "relu"):
    if f == "relu":
        return x
    else:
        return x + 1
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i)))

# case: default-text-of-a-helper-by-name
# launch: *fp32
# error: AttributeError("'str' object has no attribute 'type'")
MODE = "relu"
@triton.jit
def h(x, f: tl.constexpr = MODE):
    if f == "relu":
        return x
    else:
        return x + 1
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i)))

# case: default-text-of-a-helper-given
# launch: *fp32
# ok
@triton.jit
def h(x, f: tl.constexpr = "relu"):
    if f == "relu":
        return x
    else:
        return x + 1
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i), "relu"))

# case: default-constexpr-text-of-a-helper
# launch: *fp32
# ok
@triton.jit
def h(x, f: tl.constexpr = tl.constexpr("relu")):
    if f == "relu":
        return x
    else:
        return x + 1
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i)))

# case: default-tuple-of-a-helper
# launch: *fp32
# error: AttributeError("'int' object has no attribute 'type'")
@triton.jit
def h(x, f: tl.constexpr = (1, 2)):
    return x + f[0]
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i)))

# case: default-number-of-a-helper
# launch: *fp32
# ok
@triton.jit
def h(x, f=1.5, g=None, d=tl.float32, b=True):
    return x.to(d) + f + b
@triton.jit
def k(x):
    i = tl.arange(0, 64)
    tl.store(x + i, h(tl.load(x + i)))

# case: default-of-a-helper
# launch: *fp32
# error: NameError('str is not defined')
@triton.jit
def h(x, mode: str = "a"):
    return x
@triton.jit
def k(x):
    tl.store(x, h(1.0))
