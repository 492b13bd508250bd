# Control flow, helpers, scopes.

# case: loops
# launch: *fp32 100 B=16
# ok
@triton.jit
def k(x, n, B: tl.constexpr):
    acc = tl.zeros([B], dtype=tl.float32)
    for off in range(0, n, B):
        cols = off + tl.arange(0, B)
        acc += tl.load(x + cols, mask=cols < n, other=0.0)
    for i in tl.range(0, 4, num_stages=2):
        acc = acc * 2.0
    for i in tl.static_range(3):
        tl.static_assert(i < 3)
        acc = acc + i
    for i in range(10, 0, -1):
        acc += i
    m = 0
    while m < n:
        m += 16
    tl.store(x + tl.arange(0, B), acc)

# case: swap-in-loop
# launch: *fp32 100
# ok
@triton.jit
def k(x, n):
    a = 0
    b = 1
    for i in range(n):
        a, b = b, a
    tl.store(x, a)

# case: int64-bound
# launch: *fp32 3000000000
# ok
@triton.jit
def k(x, n):
    for i in range(0, n, 1000000000):
        tl.static_assert(i.dtype == tl.int64)

# case: index-type
# launch: *fp32 3
# ok
@triton.jit
def k(x, n):
    for i in range(n):
        tl.static_assert(i.dtype == tl.int32)
        i = i + 0.5
        tl.static_assert(i.dtype == tl.float32)

# case: pointer-advance
# launch: *fp32 64 B=16
# ok
@triton.jit
def k(x, n, B: tl.constexpr):
    x += tl.program_id(0) * n
    p = x + tl.arange(0, B)
    for i in range(4):
        tl.store(p, 1.0)
        p += B

# case: runtime-if
# launch: *fp32 5
# ok
@triton.jit
def k(x, n):
    v = 1.0
    if n > 4:
        v = 2.0
        w = 3
    elif n > 2:
        v = 4.0
        w = 4
    else:
        w = 5
    tl.static_assert(w.dtype == tl.int32)
    tl.store(x, v + w)

# case: early-return
# launch: *fp32 5
# ok
@triton.jit
def k(x, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(x + pid, 1.0)

# case: ternary
# launch: *fp32 5
# ok
@triton.jit
def k(x, n):
    v = 1.0 if n > 4 else 2.0
    tl.store(x, v)

# case: if-constexpr
# launch: *fp32 None B=8
# ok
@triton.jit
def k(x, bias, B: tl.constexpr):
    if bias is not None:
        v = tl.load(bias)
    if B == 8:
        w = 1.0
    else:
        w = undefined
    tl.store(x, w)

# case: short-circuit
# launch: *fp32 None B=8
# ok
@triton.jit
def k(x, bias, B: tl.constexpr):
    if bias is not None and undefined:
        pass
    if B == 8 or undefined:
        tl.store(x, 1.0)

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

# case: nested-targets
# launch: *fp32
# error: unhashable type: 'list'
@triton.jit
def k(x):
    (c, d), e = (1, 2), 3

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

# case: annotations-of-locals
# launch: *fp32
# ok
@triton.jit
def k(x):
    """doc"""
    a: tl.float32 = 1.0
    assert a > 0, "message"
    tl.device_assert(a > 0)
    tl.device_print("a", a)
    print("a", a)
    tl.static_print("x", a)
    tl.debug_barrier()
    tl.assume(a > 0)
    o = tl.max_contiguous(tl.multiple_of(tl.arange(0, 8), 8), 8)
    tl.store(x + o, a)

# case: imports
# launch: *fp32
# ok
import math
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as ld
from triton.language import math as tlm
PI = math.pi
t32 = tl.float32
@triton.jit
def k(x):
    v = tl.load(x)
    v = libdevice.tanh(v) + ld.log1p(v) + tlm.exp(v) + tl.math.exp2(v) + math.pi
    v += tl.extra.libdevice.pow(v, 2.0) + tl.extra.cuda.libdevice.rsqrt(v)
    tl.store(x, v.to(t32))

# case: unknown-module
# launch: *fp32
# error: numpy.exp cannot be used from within @jit'ed function
import numpy as np
@triton.jit
def k(x):
    tl.store(x, np.exp(1.0))

# case: nested-if-in-loop
# launch: *fp32 9
# ok
@triton.jit
def k(x, n):
    best = 0.0
    where = 0
    for i in range(n):
        v = tl.load(x + i)
        if v > best:
            best = v
            where = i
    tl.store(x, best + where)

# case: propagate-nan
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.load(x)
    tl.store(x, tl.maximum(v, 1.0, propagate_nan=tl.PropagateNan.ALL))

# case: else-on-for
# launch: *fp32 3
# error: else after for
@triton.jit
def k(x, n):
    for i in range(n):
        pass
    else:
        pass

# case: static-range-runtime
# launch: *fp32 3
# error: is not a constexpr
@triton.jit
def k(x, n):
    for i in tl.static_range(n):
        pass

# case: walrus
# launch: *fp32 3
# error: unsupported AST node type: NamedExpr
@triton.jit
def k(x, n):
    v = (w := n)

# case: inner-target-was-constexpr
# launch: *i32 5
# error: Loop carried variable j changed type, was <class 'triton.language.core.tensor'> but is now <class 'triton.language.core.constexpr'>
@triton.jit
def k(x, n):
    for j in tl.static_range(2):
        tl.store(x + j, j)
    for i in range(n):
        for j in range(n):
            tl.store(x + i, j)

# case: inner-target-was-a-tensor
# launch: *i32 5
# unsupported: a loop over j
@triton.jit
def k(x, n):
    j = tl.program_id(0)
    while j < n:
        for j in range(n):
            tl.store(x + 3, j)

# case: inner-target-of-an-earlier-loop
# launch: *i32 5
# ok
@triton.jit
def k(x, n):
    for j in range(n):
        tl.store(x + j, 0)
    for i in range(n):
        for j in range(n):
            tl.store(x + i, j)
