# Statements, apart from loops.

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

# case: nested-targets
# launch: *fp32
# error: unhashable type: 'list'
@triton.jit
def k(x):
    (c, d), e = (1, 2), 3

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

# case: setitem
# launch: *fp32
# error: NotImplementedError('__setitem__ is not supported in triton')
@triton.jit
def k(x):
    acc = tl.zeros((4,), tl.float32)
    acc[0] = 1.0

# case: setitem-augmented
# launch: *fp32
# error: unsupported tensor index: constexpr[0]
@triton.jit
def k(x):
    acc = tl.zeros((4,), tl.float32)
    acc[0] += 1.0

# case: nested-function
# launch: *fp32
# error: nested function definition is not supported.
@triton.jit
def k(x):
    def f(v):
        return v

# case: raise
# launch: *fp32
# error: unsupported AST node type: Raise
@triton.jit
def k(x):
    raise ValueError

# case: try
# launch: *fp32
# error: unsupported AST node type: Try
@triton.jit
def k(x):
    try:
        pass
    finally:
        pass

# case: untaken-arm-is-not-visited
# launch: *fp32 B=4
# ok
@triton.jit
def k(x, B: tl.constexpr):
    if B == 8:
        raise ValueError

# case: return-in-loop
# launch: *fp32 7
# error: Cannot have `return` statements inside `while` or `for` statements in triton.
@triton.jit
def k(x, n):
    for i in range(n):
        if i > 3:
            return

# case: attribute-assignment
# launch: *fp32
# error: Attribute assignment is not supported in triton
@triton.jit
def k(x):
    x.y = 1

# case: chained-assignment
# launch: *fp32
# error: Simultaneous multiple assignment is not supported.
@triton.jit
def k(x):
    a = b = 1

# case: if-block
# launch: *fp32
# error: Boolean value of Tensor with more than one value is ambiguous
@triton.jit
def k(x):
    if tl.arange(0, 4) > 2:
        pass

# case: if-float-constexpr
# launch: *fp32
# error: `if` conditionals can only accept values of type
@triton.jit
def k(x):
    if 1.5:
        pass

# case: arms-differ
# launch: *fp32 3
# error: Mismatched type for v between then block (fp32) and else block (int32)
@triton.jit
def k(x, n):
    if n > 2:
        v = 1.0
    else:
        v = 1

# case: arm-redefines
# launch: *fp32 3
# error: initial value for `v` is of type int32[], but the then block redefines it as fp32[]
@triton.jit
def k(x, n):
    v = 1
    if n > 2:
        v = 1.0

# case: one-arm-only
# launch: *fp32 3
# error: NameError('v is not defined')
@triton.jit
def k(x, n):
    if n > 2:
        v = 1.0
    tl.store(x, v)

# case: constexpr-redefined
# launch: *fp32
# error: v is already defined. constexpr cannot be reassigned.
@triton.jit
def k(x):
    v = 1
    v: tl.constexpr = 2
