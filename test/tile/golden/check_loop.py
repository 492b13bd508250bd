# Loops, and the types that they carry.

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

# case: break
# launch: *fp32 7
# error: unsupported AST node type: Break
@triton.jit
def k(x, n):
    for i in range(n):
        break

# case: continue
# launch: *fp32 7
# error: unsupported AST node type: Continue
@triton.jit
def k(x, n):
    for i in range(n):
        continue

# case: for-over-a-tuple
# launch: *fp32
# error: 'Tuple' object has no attribute 'func'
@triton.jit
def k(x):
    for i in (1, 2):
        pass

# case: loop-carried-type
# launch: *fp32 8
# error: Loop-carried variable acc has initial type int32 but is re-assigned to fp32 in loop! Please make sure that the type stays consistent.
@triton.jit
def k(x, n):
    acc = 0
    for i in range(n):
        acc += tl.load(x + i)

# case: loop-carried-shape
# launch: *fp32 8
# error: Loop-carried variable acc has initial type fp32 but is re-assigned to <['4'], fp32> in loop!
@triton.jit
def k(x, n):
    acc = 0.0
    for i in range(n):
        acc += tl.load(x + i + tl.arange(0, 4))

# case: while-carried-type
# launch: *fp32 8
# error: Loop-carried variable i has initial type int32 but is re-assigned to fp32
@triton.jit
def k(x, n):
    i = 0
    while i < n:
        i = i * 1.5

# case: constexpr-reassigned-in-loop
# launch: *fp32 8 B=4
# error: Loop carried variable B changed type, was <class 'triton.language.core.tensor'> but is now <class 'triton.language.core.constexpr'>
@triton.jit
def k(x, n, B: tl.constexpr):
    for i in range(n):
        B = B * 2

# case: loop-local-after
# launch: *fp32 3
# error: NameError('v is not defined')
@triton.jit
def k(x, n):
    for i in range(n):
        v = 1.0
    tl.store(x, v)

# case: index-after-loop
# launch: *fp32 3
# error: NameError('i is not defined')
@triton.jit
def k(x, n):
    for i in range(n):
        pass
    tl.store(x, i)

# case: float-bound
# launch: *fp32 3.5
# error: For loop bounds and step must all be ints, are (int32, fp32, int32)
@triton.jit
def k(x, n):
    for i in range(0, n):
        pass

# case: while-true
# launch: *fp32
# error: 'constexpr' object has no attribute 'handle'
@triton.jit
def k(x):
    while True:
        pass

# case: while-int
# launch: *fp32 3
# error: the condition of a `while` must be int1, got int32
@triton.jit
def k(x, n):
    while n:
        n -= 1

# case: while-block
# launch: *fp32 3
# error: Boolean value of Tensor with more than one value is ambiguous
@triton.jit
def k(x, n):
    v = tl.arange(0, 4)
    while v < n:
        v += 1
