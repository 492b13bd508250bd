# Expressions, apart from names and calls.

# case: ternary
# launch: *fp32 5
# ok
@triton.jit
def k(x, n):
    v = 1.0 if n > 4 else 2.0
    tl.store(x, v)

# case: short-circuit
# launch: *fp32 None B=8
# ok
@triton.jit
def k(x, bias, B: tl.constexpr):
    if bias is not None and undefined:
        pass
    if B == 8 or undefined:
        tl.store(x, 1.0)

# case: tuples
# launch: *fp32
# ok
@triton.jit
def k(x):
    t = (1, 2.0)
    a, b = t
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(b.dtype == tl.float32)
    (c, d) = (1, 2)
    u = t + (3,)
    tl.static_assert(len(u) == 3)
    l = [v * 2 for v in (1, 2, 3)]
    tl.store(x, l[2] + u[0])

# case: walrus
# launch: *fp32 3
# error: unsupported AST node type: NamedExpr
@triton.jit
def k(x, n):
    v = (w := n)

# case: index-constant
# launch: *fp32
# error: unsupported tensor index: constexpr[0]
@triton.jit
def k(x):
    tl.store(x, x[0])

# case: index-runtime
# launch: *fp32 3
# error: Did you forget to add @triton.jit ?
@triton.jit
def k(x, i):
    tl.store(x, x[i])

# case: slice
# launch: *fp32
# error: unsupported tensor index: <triton.language.core.slice object>
@triton.jit
def k(x):
    a = tl.zeros((8,), tl.float32)
    b = a[0:4]

# case: lambda
# launch: *fp32
# error: unsupported AST node type: Lambda
@triton.jit
def k(x):
    f = lambda v: v

# case: dict
# launch: *fp32
# error: unsupported AST node type: Dict
@triton.jit
def k(x):
    d = {}

# case: ternary-types
# launch: *fp32 3
# error: Ternary expression with dynamic condition has inconsistent types fp32 and int32
@triton.jit
def k(x, n):
    v = 1.0 if n > 2 else 1

# case: literal-of-sixty-four-bits
# launch: *u64
# unsupported: whole numbers from 2^63 to 2^64 - 1
@triton.jit
def k(x):
    tl.store(x, tl.load(x) * 0x9E3779B97F4A7C15)

# case: literal-beyond-sixty-four-bits
# launch: *u64
# error: OverflowError: integer does not fit 64 bits
@triton.jit
def k(x):
    tl.store(x, 0x19E3779B97F4A7C15)
