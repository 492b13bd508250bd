# What language models get wrong, the most frequent first.

# case: unknown-name-in-tl
# launch: *fp32
# error: AttributeError("module 'triton.language' has no attribute 'tanh'")
@triton.jit
def k(x):
    tl.store(x, tl.tanh(tl.load(x)))

# case: unknown-name-in-tl-math
# launch: *fp32
# error: module 'triton.language.math' has no attribute 'tanh'
@triton.jit
def k(x):
    tl.store(x, tl.math.tanh(tl.load(x)))

# case: mean-does-not-exist
# launch: *fp32
# error: has no attribute 'mean'
@triton.jit
def k(x):
    tl.store(x, tl.mean(tl.load(x + tl.arange(0, 4))))

# case: unknown-libdevice
# launch: *fp32
# error: module 'triton.language.extra.libdevice' has no attribute 'gelu'
from triton.language.extra import libdevice
@triton.jit
def k(x):
    tl.store(x, libdevice.gelu(tl.load(x)))

# case: dot-trans-b
# launch: *fp32
# error: dot() got an unexpected keyword argument 'trans_b'
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float32)
    tl.store(x, tl.sum(tl.dot(a, a, trans_b=True)))

# case: sort-method
# launch: *fp32
# error: cannot convert None of type <class 'NoneType'> to tensor
@triton.jit
def k(x):
    o = tl.arange(0, 4)
    tl.store(x + o, tl.load(x + o).sort())

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

# case: slice
# launch: *fp32
# error: unsupported tensor index: <triton.language.core.slice object>
@triton.jit
def k(x):
    a = tl.zeros((8,), tl.float32)
    b = a[0:4]

# case: arange-runtime
# launch: *fp32 8
# error: arange's arguments must be of type tl.constexpr
@triton.jit
def k(x, n):
    o = tl.arange(0, n)

# case: arange-decayed-local
# launch: *fp32 B=8
# error: arange's arguments must be of type tl.constexpr
@triton.jit
def k(x, B: tl.constexpr):
    B2 = B * 2
    o = tl.arange(0, B2)

# case: load-keyword
# launch: *fp32
# error: TypeError("load() got an unexpected keyword argument 'offset'")
@triton.jit
def k(x):
    v = tl.load(x, offset=1)

# case: softmax-keyword
# launch: *fp32
# error: softmax() got an unexpected keyword argument 'axis'
@triton.jit
def k(x):
    v = tl.softmax(tl.load(x + tl.arange(0, 4)), axis=0)

# case: sum-keepdim
# launch: *fp32
# error: sum() got an unexpected keyword argument 'keepdim'
@triton.jit
def k(x):
    v = tl.sum(tl.load(x + tl.arange(0, 4)), axis=0, keepdim=True)

# case: pow
# launch: *fp32
# error: AttributeError("'tensor' object has no attribute '__pow__'")
@triton.jit
def k(x):
    v = tl.load(x) ** 2

# case: rpow
# launch: *fp32
# error: has no attribute '__rpow__'
@triton.jit
def k(x):
    v = 2 ** tl.load(x)

# case: unknown-method
# launch: *fp32
# error: AttributeError("'tensor' object has no attribute 'unsqueeze'")
@triton.jit
def k(x):
    v = tl.load(x).unsqueeze(0)

# case: numel-is-no-method
# launch: *fp32
# error: 'int' object is not callable
@triton.jit
def k(x):
    v = tl.arange(0, 4).numel()

# case: arange-too-many
# launch: *fp32
# error: arange() takes 2 positional arguments but 3 were given
@triton.jit
def k(x):
    v = tl.arange(0, 4, 1)

# case: arange-one
# launch: *fp32
# error: arange() missing 1 required positional argument: 'end'
@triton.jit
def k(x):
    v = tl.arange(4)

# case: program-id-none
# launch: *fp32
# error: program_id() missing 1 required positional argument: 'axis'
@triton.jit
def k(x):
    v = tl.program_id()

# case: program-id-axis
# launch: *fp32
# error: program_id axis must be 0, 1, or 2 but got 3
@triton.jit
def k(x):
    v = tl.program_id(3)

# case: multiple-values
# launch: *fp32
# error: load() got multiple values for argument 'pointer'
@triton.jit
def k(x):
    v = tl.load(x, pointer=x)

# case: plain-global
# launch: *fp32
# error: Cannot access global variable BLOCK from within @jit'ed function. Triton kernels can only access global variables that are instanstiated as constexpr
BLOCK = 1024
@triton.jit
def k(x):
    v = tl.arange(0, BLOCK)

# case: host-api
# launch: *fp32
# error: module 'triton' has no attribute 'load'
@triton.jit
def k(x):
    v = triton.load(x)

# case: torch
# launch: *fp32
# error: torch.exp cannot be used
@triton.jit
def k(x):
    v = torch.exp(tl.load(x))

# case: chained-comparison
# launch: *fp32 3
# error: simultaneous multiple comparison is not supported
@triton.jit
def k(x, n):
    v = 0 < n < 5

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

# case: lambda
# launch: *fp32
# error: unsupported AST node type: Lambda
@triton.jit
def k(x):
    f = lambda v: v

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

# case: dict
# launch: *fp32
# error: unsupported AST node type: Dict
@triton.jit
def k(x):
    d = {}

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

# case: matmul-operator
# launch: *fp32
# error: 'MatMult' object has no attribute '__name__'
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float32)
    b = a @ a

# case: in
# launch: *fp32
# error: has no attribute '__name__'
@triton.jit
def k(x):
    b = 1 in (1, 2)

# case: return-in-loop
# launch: *fp32 7
# error: Cannot have `return` statements inside `while` or `for` statements in triton.
@triton.jit
def k(x, n):
    for i in range(n):
        if i > 3:
            return

# case: plain-helper
# launch: *fp32
# error: Cannot access global variable helper from within @jit'ed function
def helper(v):
    return v
@triton.jit
def k(x):
    v = helper(tl.load(x))

# case: python-builtin
# launch: *fp32
# error: NameError('sum is not defined')
@triton.jit
def k(x):
    v = sum(tl.load(x))

# case: undefined
# launch: *fp32
# error: NameError('y is not defined')
@triton.jit
def k(x):
    v = y

# case: int-equal-1-has-no-to
# launch: *fp32 1
# error: AttributeError("'int' object has no attribute 'to'")
@triton.jit
def k(x, n):
    v = n.to(tl.int64)

# case: int-equal-2-has-to
# launch: *fp32 2
# ok
@triton.jit
def k(x, n):
    v = n.to(tl.int64)
    tl.static_assert(v.dtype == tl.int64)

# case: zeros-shape-is-no-tuple
# launch: *fp32 B=8
# error: 'int' object is not iterable
@triton.jit
def k(x, B: tl.constexpr):
    a = tl.zeros((B), tl.float32)

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

# case: host-cdiv-of-a-tensor
# launch: *fp32 100
# error: Did you forget to add @triton.jit ?
@triton.jit
def k(x, n):
    v = triton.cdiv(n, 4)

# case: for-over-a-tuple
# launch: *fp32
# error: 'Tuple' object has no attribute 'func'
@triton.jit
def k(x):
    for i in (1, 2):
        pass

# case: what-there-is-instead-of-tanh
# launch: *fp32
# error: has no attribute 'tanh'"); there is libdevice.tanh (from triton.language.extra import libdevice)
@triton.jit
def k(x):
    tl.store(x, tl.math.tanh(tl.load(x)))

# case: what-there-is-instead-of-an-old-module
# launch: *fp32
# error: AttributeError("module 'triton.language' has no attribute 'libdevice'"); there is from triton.language.extra import libdevice
@triton.jit
def k(x):
    tl.store(x, tl.libdevice.tanh(tl.load(x)))

# case: what-there-is-instead-of-mean
# launch: *fp32
# error: has no attribute 'mean'"); there is tl.sum(x, axis) / n
@triton.jit
def k(x):
    tl.store(x, tl.mean(tl.load(x + tl.arange(0, 4))))
