# Reductions and scans.

# case: sums
# launch: *int32 *int32:3,1,2,5
# gives: 11 11 4 7 4 7 11 5 5 1 1 3 3 1 1
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    q = tl.arange(0, 2)
    v = tl.load(x + o)
    m = v.reshape(2, 2)
    tl.store(y, tl.sum(v))
    tl.store(y + 1, v.sum(axis=0))
    tl.store(y + 2 + q, tl.sum(m, axis=1, keep_dims=True).reshape(2))
    tl.store(y + 4 + q, m.sum(-1))
    tl.store(y + 6, tl.sum(m, dtype=tl.float32).to(tl.int32))
    tl.store(y + 7, tl.max(v, 0))
    tl.store(y + 8, v.max())
    tl.store(y + 9, tl.min(v, axis=0))
    tl.store(y + 10, v.min())
    tl.store(y + 11, tl.argmax(v, 0))
    tl.store(y + 12, v.argmax(axis=0))
    tl.store(y + 13, tl.argmin(v, axis=0, tie_break_left=True))
    tl.store(y + 14, v.argmin(0, keep_dims=False))

# case: indices
# launch: *int32 *int32:3,5,5,1
# gives: 5 1 1 3 5 3 5 1 1 1
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    top, at = tl.max(v, 0, return_indices=True)
    tl.store(y, top)
    tl.store(y + 1, at)
    low, where = tl.min(v, axis=0, return_indices=True, return_indices_tie_break_left=True)
    tl.store(y + 2, low)
    tl.store(y + 3, where)
    m = v.reshape(2, 2)
    a, b = m.max(axis=1, return_indices=True, keep_dims=True)
    tl.store(y + 4, tl.sum(a.reshape(2) * (tl.arange(0, 2) == 0)))
    tl.store(y + 5, tl.argmin(v, 0))
    q = tl.arange(0, 2)
    tl.store(y + 6 + q, tl.max(m, 1) * (1 - q) + q)
    tl.store(y + 8 + q, tl.argmax(m, 1, keep_dims=True).reshape(2) * (1 - q) + q)

# case: bits
# launch: *int32 *int32:3,5,6,8
# gives: 8 8 17
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y, tl.xor_sum(v))
    tl.store(y + 1, v.xor_sum(axis=0))
    tl.store(y + 2, tl.sum(tl.xor_sum(v.reshape(2, 2), 0, keep_dims=True)) - 1)

# case: scans
# launch: *int32 *int32:1,2,3,4
# gives: 1 3 6 10 10 9 7 4 1 2 6 24 24 24 12 4 1 3 6 10 1 2 6 24
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y + o, tl.cumsum(v, axis=0))
    tl.store(y + 4 + o, tl.cumsum(v, 0, reverse=True, dtype=tl.int64))
    tl.store(y + 8 + o, tl.cumprod(v))
    tl.store(y + 12 + o, tl.cumprod(v, axis=0, reverse=True))
    tl.store(y + 16 + o, v.cumsum())
    tl.store(y + 20 + o, v.cumprod(0))

# case: cumsum-matrix
# launch: *int64 *int8:100,100,1,2
# gives: 100 200 1 3 100 100 101 102
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    m = tl.load(x + o).reshape(2, 2)
    tl.store(y + o, tl.cumsum(m, 1).reshape(4))
    tl.store(y + 4 + o, tl.cumsum(m, 0).reshape(4))

# case: sum-axis
# launch: *int32
# error: invalid axis 1
@triton.jit
def k(y):
    v = tl.sum(tl.arange(0, 4), axis=1)

# case: max-keepdim
# launch: *int32
# error: max() got an unexpected keyword argument 'keepdim'
@triton.jit
def k(y):
    v = tl.max(tl.arange(0, 4), 0, keepdim=True)

# case: min-none
# launch: *int32
# error: NoneType
@triton.jit
def k(y):
    v = tl.min(None, 0)

# case: argmax-no-axis
# launch: *int32
# error: argmax() missing 1 required positional argument: 'axis'
@triton.jit
def k(y):
    v = tl.argmax(tl.arange(0, 4))

# case: argmin-axis-none
# launch: *int32
# error: tuple indices must be integers or slices, not NoneType
@triton.jit
def k(y):
    v = tl.argmin(tl.arange(0, 4), axis=None)

# case: xor-sum-float
# launch: *fp32
# error: xor_sum only supported for integers
@triton.jit
def k(y):
    v = tl.xor_sum(tl.zeros((4,), tl.float32), 0)

# case: cumsum-axis
# launch: *fp32
# error: axis
@triton.jit
def k(y):
    v = tl.cumsum(tl.arange(0, 4), 1)

# case: cumprod-dtype
# launch: *fp32
# error: cumprod() got an unexpected keyword argument 'dtype'
@triton.jit
def k(y):
    v = tl.cumprod(tl.arange(0, 4), 0, dtype=tl.int64)

# case: functions
# launch: *int32 *int32:4,1,7,3
# gives: 15 15 7 2 4 5 12 15 4 4 7 7 0 0 2 2
@triton.jit
def add(a, b):
    return a + b
@triton.jit
def best(v, i, w, j):
    left = (v > w) | ((v == w) & (i < j))
    return tl.where(left, v, w), tl.where(left, i, j)
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y, tl.reduce(v, 0, add))
    tl.store(y + 1, v.reduce(axis=0, combine_fn=add))
    top, at = tl.reduce((v, o), axis=0, combine_fn=best)
    tl.store(y + 2, top)
    tl.store(y + 3, at)
    tl.store(y + 4 + o, v.associative_scan(0, add))
    run, place = tl.associative_scan((v, o), 0, best, reverse=False)
    tl.store(y + 8 + o, run)
    tl.store(y + 12 + o, place)

# case: reduce-not-jit
# launch: *int32
# error: combine_fn must be a @triton.jit function
@triton.jit
def k(y):
    v = tl.reduce(tl.arange(0, 4), 0, tl.maximum)

# case: scan-types
# launch: *int32
# error: must return the types that it combines
@triton.jit
def half(a, b):
    return (a + b) * 0.5
@triton.jit
def k(y):
    v = tl.associative_scan(tl.arange(0, 4), 0, half)

# case: ors
# launch: *int32 *int32:3,5,6,8
# gives: 15 15 7 14
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y, tl.reduce_or(v, 0))
    tl.store(y + 1, v.reduce_or(axis=0))
    tl.store(y + 2 + tl.arange(0, 2), tl.reduce_or(v.reshape(2, 2), 1, keep_dims=True).reshape(2))

# case: reduce-or-float
# launch: *fp32
# error: reduce_or only supported for integers
@triton.jit
def k(y):
    v = tl.reduce_or(tl.zeros((4,), tl.float32), 0)

# case: reduce-with-if
# launch: *int32 *int32:4,1,7,3
# gives: 7 2 4 4 7 7 1 1 3 3
@triton.jit
def best(v, i, w, j):
    if v >= w:
        top = v
        at = i
    else:
        top = w
        at = j
    return top, at
@triton.jit
def least(a, b):
    low = b
    if a < b:
        low = a
    return low
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    top, at = tl.reduce((v, o), 0, best)
    tl.store(y, top)
    tl.store(y + 1, at)
    run, place = tl.associative_scan((v, o), 0, best)
    tl.store(y + 2 + o, run)
    tl.store(y + 6 + o, tl.associative_scan(v, 0, least, reverse=True))


# case: reduce-with-ternary
# launch: *fp32 *fp32:4,1,7,3
# gives: 7
@triton.jit
def larger(a, b):
    return a if a > b else b
@triton.jit
def k(y, x):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 4)), 0, larger))

# case: reduce-division-in-a-branch
# launch: *int32 *int32:8,0,2,0
# gives: 8 4
@triton.jit
def ratio(a, b):
    r = tl.maximum(a, b)
    less = tl.minimum(a, b)
    if less != 0:
        r = r // less
    else:
        if r == 0:
            r = less
    return r
@triton.jit
def k(y, x):
    v = tl.load(x + tl.arange(0, 4))
    tl.store(y, tl.max(v, 0))
    tl.store(y + 1, tl.reduce(v, 0, ratio))

# case: reduce-branch-types
# launch: *int32
# error: Mismatched type for r between then block (fp32) and else block (int32)
@triton.jit
def f(a, b):
    if a > b:
        r = 1.5
    else:
        r = a
    return r
@triton.jit
def k(y):
    v = tl.reduce(tl.arange(0, 4), 0, f)

# case: reduce-branch-name
# launch: *int32
# error: r is not defined
@triton.jit
def f(a, b):
    if a > b:
        r = a
    return r
@triton.jit
def k(y):
    v = tl.reduce(tl.arange(0, 4), 0, f)

# case: reduce-branch-load
# launch: *int32
# unsupported: in a branch that depends on the values
@triton.jit
def f(a, b):
    r = a
    if a > b:
        r = tl.load(b)
    return r
@triton.jit
def k(y):
    v = tl.reduce(tl.arange(0, 4), 0, f)

# case: combine-returns-early
# launch: *fp32:3,9,1,9,4,7,2,8 *fp32
# gives: 9
@triton.jit
def larger(a, b):
    if a > b:
        return a
    return b
@triton.jit
def k(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 8)), 0, larger))

# case: combine-returns-in-both-arms
# launch: *fp32:3,9,1,9,4,7,2,8 *fp32
# gives: 3 9 9 9 9 9 9 9
@triton.jit
def larger(a, b):
    if a > b:
        return a
    else:
        return b
@triton.jit
def k(x, y):
    o = tl.arange(0, 8)
    tl.store(y + o, tl.associative_scan(tl.load(x + o), 0, larger))

# case: combine-returns-three-times
# launch: *int32:5,-3,0,7 *int32
# gives: 5 2 2 9
@triton.jit
def add(a, b):
    if b < 0:
        if a > 100:
            return a
        c = a
        if c == 5:
            return c + b
        c = c - 1000
        return c
    elif b == 0:
        return a
    d = a + b
    return d
@triton.jit
def k(x, y):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.associative_scan(tl.load(x + o), 0, add))

# case: combine-returns-tuples-early
# launch: *fp32:3,9,1,9,4,7,2,8 *fp32
# gives: 9 1
@triton.jit
def best(a, i, b, j):
    if a > b:
        return a, i
    if a == b:
        return a, min(i, j)
    return b, j
@triton.jit
def k(x, y):
    o = tl.arange(0, 8)
    top, at = tl.reduce((tl.load(x + o), o), 0, best)
    tl.store(y, top)
    tl.store(y + 1, at)

# case: combine-calls-what-returns-early
# launch: *int32:6,4,0,8 *int32
# gives: 0
@triton.jit
def ratio(a, b):
    if b == 0:
        return a * 0
    return a % b
@triton.jit
def f(a, b):
    c = a
    if a > b:
        c = ratio(a, b)
    return c + 0
@triton.jit
def k(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 4)), 0, f))

# case: combine-divides-after-a-return
# launch: *int32:6,0,0,8 *int32
# gives: 14
@triton.jit
def f(a, b):
    if b == 0:
        return a
    return a % b + b
@triton.jit
def k(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 4)), 0, f))

# case: combine-divides-before-a-return
# launch: *int32:6,0,0,8 *int32
# finds: integer division by zero
@triton.jit
def f(a, b):
    c = a % b + b
    if b == 0:
        return a
    return c
@triton.jit
def k(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 4)), 0, f))

# case: combine-returns-what-a-constant-decides
# launch: *int32:6,1,0,8 *int32
# gives: 15
@triton.jit
def f(a, b, ADD: tl.constexpr = True):
    if ADD:
        return a + b
    return a
@triton.jit
def k(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 4)), 0, f))

# case: combine-returns-other-types
# launch: *fp32 *fp32
# error: Inconsistent return types: int32 and fp32
@triton.jit
def f(a, b):
    if a > b:
        return 1
    return b
@triton.jit
def k(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 4)), 0, f))

# case: combine-returns-sometimes
# launch: *fp32 *fp32
# error: Inconsistent return types: fp32 and void: f can end without a value
@triton.jit
def f(a, b):
    if a > b:
        return a
@triton.jit
def k(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 4)), 0, f))

# case: reduce-order-is-open
# launch: *int32 *int32:1,2,3,4,5,6,7,8
# gives: 6 3 6 3 1 8
@triton.jit
def first(a, b):
    return a
@triton.jit
def last(a, b):
    return b
@triton.jit
def most_first(a, i, b, j):
    return tl.where(a >= b, a, b), tl.where(a >= b, i, j)
@triton.jit
def most_last(a, i, b, j):
    return tl.where(a > b, a, b), tl.where(a > b, i, j)
@triton.jit
def most(a, i, b, j):
    left = (a > b) | ((a == b) & (i < j))
    return tl.where(left, a, b), tl.where(left, i, j)
@triton.jit
def k(y, x):
    v = tl.load(x + tl.arange(0, 8))
    same = v * 0
    tl.store(y, tl.reduce(v, 0, first))
    tl.store(y + 1, tl.reduce(v, 0, last))
    # Of equal values neither end is promised unless the function says which.
    a, i = tl.reduce((same, v), 0, most_first)
    tl.store(y + 2, i)
    a, i = tl.reduce((same, v), 0, most_last)
    tl.store(y + 3, i)
    a, i = tl.reduce((same, v), 0, most)
    tl.store(y + 4, i)
    tl.store(y + 5, tl.max(v, 0))

# case: ties-that-are-not-broken
# launch: *int32
# gives: 0 15 12 3 12 15 3 2 3 3 2 4 2
@triton.jit
def k(y):
    s = tl.arange(0, 16) // 4
    tl.store(y, tl.argmin(s, 0))
    tl.store(y + 1, tl.argmax(s, 0, tie_break_left=False))
    tl.store(y + 2, tl.argmax(s, 0))
    tl.store(y + 3, tl.argmin(s, 0, tie_break_left=False))
    a, i = tl.max(s, 0, return_indices=True)
    b, j = tl.max(s, 0, return_indices=True, return_indices_tie_break_left=False)
    c, l = tl.min(s, 0, return_indices=True, return_indices_tie_break_left=False)
    tl.store(y + 4, i)
    tl.store(y + 5, j)
    tl.store(y + 6, l)
    # Where there are no ties it is one and the same.
    t = (tl.arange(0, 4)[:, None] + tl.arange(0, 4)[None, :] * 3) % 4
    tl.store(y + 7, tl.sum(tl.argmax(t, 1, tie_break_left=False) * (tl.arange(0, 4) == 1), 0))
    tl.store(y + 8, tl.sum(tl.argmax(t, -1, False, True) * (tl.arange(0, 4)[:, None] == 2)))
    tl.store(y + 9 + tl.arange(0, 1), tl.argmax(s.reshape(1, 16) * 0 + tl.arange(0, 16)[None, :] % 4, 1) - 0)
    tl.store(y + 10, tl.sum(tl.argmax(t, 0) * (tl.arange(0, 4) == 3)))
    tl.store(y + 11, tl.sum(tl.argmax(t, 0, tie_break_left=False) * (tl.arange(0, 4) == 3)) + 2)
    tl.store(y + 12, tl.max(t) - 1)
