# Mistakes that only show with types.

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

# case: exp-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(x):
    v = tl.exp(tl.load(x))

# case: sqrt-int
# launch: *int32
# error: Expected dtype ['fp32', 'fp64'] but got int32
@triton.jit
def k(x):
    v = tl.sqrt(tl.load(x))

# case: sigmoid-bf16
# launch: *bf16
# error: Expected dtype ['fp32', 'fp64'] but got bf16
@triton.jit
def k(x):
    v = tl.sigmoid(tl.load(x))

# case: sqrt-rn-fp64
# launch: *fp64
# error: Expected dtype ['fp32'] but got fp64
@triton.jit
def k(x):
    v = tl.sqrt_rn(tl.load(x))

# case: arange-power
# launch: *fp32
# error: arange's range must be a power of 2
@triton.jit
def k(x):
    v = tl.arange(0, 12)

# case: arange-empty
# launch: *fp32
# error: arange's end argument must be greater than the start argument
@triton.jit
def k(x):
    v = tl.arange(4, 4)

# case: arange-int32
# launch: *fp32
# error: arange must fit in int32
@triton.jit
def k(x):
    v = tl.arange(0, 8589934592)

# case: shape-power
# launch: *fp32
# error: Shape element 0 must be a power of 2
@triton.jit
def k(x):
    v = tl.zeros((12,), tl.float32)

# case: shape-runtime
# launch: *fp32 8
# error: Shape element 1 must have type `constexpr[int]`, got `constexpr[<class 'triton.language.core.tensor'>]
@triton.jit
def k(x, n):
    v = tl.zeros((4, n), tl.float32)

# case: shape-float
# launch: *fp32 B=8
# error: Shape element 0 must have type `constexpr[int]`, got `constexpr[<class 'float'>]
@triton.jit
def k(x, B: tl.constexpr):
    v = tl.zeros((B / 2,), tl.float32)

# case: numel-arange
# launch: *fp32
# error: numel (2097152) exceeds triton maximum tensor numel (1048576)
@triton.jit
def k(x):
    v = tl.arange(0, 2097152)

# case: numel-zeros
# launch: *fp32
# error: numel (4194304) exceeds triton maximum tensor numel (1048576)
@triton.jit
def k(x):
    v = tl.zeros((2048, 2048), tl.float32)

# case: numel-broadcast
# launch: *fp32
# error: numel (4194304) exceeds triton maximum tensor numel (1048576)
@triton.jit
def k(x):
    v = tl.arange(0, 2048)[:, None] + tl.arange(0, 2048)[None, :]

# case: numel-at-the-limit
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.arange(0, 1024)[:, None] + tl.arange(0, 1024)[None, :]

# case: shapes
# launch: *fp32
# error: Cannot make_shape_compatible: incompatible dimensions at index 0: 64 and 128
@triton.jit
def k(x):
    v = tl.arange(0, 64) + tl.arange(0, 128)

# case: broadcast-rank
# launch: *fp32
# error: Cannot broadcast, rank mismatch: ['64'], [64, 2]
@triton.jit
def k(x):
    v = tl.broadcast_to(tl.arange(0, 64), (64, 2))

# case: broadcast-size
# launch: *fp32
# error: Cannot broadcast, the expanded size of the tensor (128) must match the existing size (64) at non-singleton dimension 0: ['64'], [128]
@triton.jit
def k(x):
    v = tl.broadcast_to(tl.arange(0, 64), 128)

# case: reshape-elements
# launch: *fp32
# error: reshape() cannot change total number of elements in tensor
@triton.jit
def k(x):
    v = tl.reshape(tl.arange(0, 64), (8, 4))

# case: other-without-mask
# launch: *fp32
# error: `other` cannot be provided without `mask`
@triton.jit
def k(x):
    v = tl.load(x, other=0.0)

# case: store-mask
# launch: *fp32 3
# error: Mask must have boolean scalar type
@triton.jit
def k(x, n):
    tl.store(x + tl.arange(0, 4), 1.0, mask=tl.arange(0, 4))

# case: load-mask
# launch: *fp32 3
# error: Mask must have boolean scalar type
@triton.jit
def k(x, n):
    v = tl.load(x + tl.arange(0, 4), mask=tl.arange(0, 4))

# case: block-to-scalar-pointer
# launch: *fp32
# error: Value argument cannot be block type if pointer argument is not a block
@triton.jit
def k(x):
    tl.store(x, tl.arange(0, 4))

# case: block-mask-scalar-pointer
# launch: *fp32
# error: Mask argument cannot be block type if pointer argument is not a block
@triton.jit
def k(x):
    v = tl.load(x, mask=tl.arange(0, 4) < 2)

# case: value-wider-than-pointers
# launch: *fp32
# error: Expected pointer argument to have shape ['constexpr[4]', 'constexpr[4]'] but got ['constexpr[4]', 'constexpr[1]']
@triton.jit
def k(x):
    p = x + tl.arange(0, 4)[:, None]
    tl.store(p, tl.zeros((4, 4), tl.float32))

# case: mask-wider-than-pointers
# launch: *fp32
# error: Expected pointer argument to have shape ['constexpr[4]', 'constexpr[4]'] but got ['constexpr[1]', 'constexpr[4]']
@triton.jit
def k(x):
    p = x + tl.arange(0, 4)[None, :]
    tl.store(p, 1.0, mask=tl.zeros((4, 4), tl.int1))

# case: load-widens
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.load(x + tl.arange(0, 4)[None, :], mask=tl.zeros((4, 4), tl.int1), other=0.0)
    tl.static_assert(v.shape[0] == 4 and v.shape[1] == 4)

# case: load-no-pointer
# launch: *fp32 3
# error: Unsupported ptr type triton.language.int32 in `tl.load`
@triton.jit
def k(x, n):
    v = tl.load(n)

# case: boundary-check
# launch: *fp32
# error: `padding_option` or `boundary_check` argument is not supported
@triton.jit
def k(x):
    v = tl.load(x, boundary_check=(0,))

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

# case: ternary-types
# launch: *fp32 3
# error: Ternary expression with dynamic condition has inconsistent types fp32 and int32
@triton.jit
def k(x, n):
    v = 1.0 if n > 2 else 1

# case: float-bound
# launch: *fp32 3.5
# error: For loop bounds and step must all be ints, are (int32, fp32, int32)
@triton.jit
def k(x, n):
    for i in range(0, n):
        pass

# case: add-pointers
# launch: *fp32 *fp32
# error: cannot add pointers together
@triton.jit
def k(x, y):
    v = x + y

# case: pointer-plus-float
# launch: *fp32 3.5
# error: invalid operands of type pointer<fp32> and triton.language.float32
@triton.jit
def k(x, f):
    v = x + f

# case: pointer-times-int
# launch: *fp32
# error: invalid operands of type pointer<fp32> and triton.language.int32
@triton.jit
def k(x):
    v = x * 2

# case: mixed-sign-division
# launch: *int32 *uint32
# error: Cannot use /, #, or % with triton.language.int32 and triton.language.uint32 because they have different signedness
@triton.jit
def k(x, y):
    v = tl.load(x) // tl.load(y)

# case: float-floor-division
# launch: *fp32
# error: unexpected type fp32
@triton.jit
def k(x):
    v = tl.load(x) // 2.0

# case: and-of-ints
# launch: *int32
# error: Cannot bitcast data-type of size 32 to data-type of size 1
@triton.jit
def k(x):
    v = tl.load(x) and tl.load(x)

# case: not-of-int
# launch: *int32
# error: Cannot bitcast data-type of size 32 to data-type of size 1
@triton.jit
def k(x):
    v = not tl.load(x)

# case: bitwise-float
# launch: *fp32
# error: invalid operands of type triton.language.float32 and triton.language.float32
@triton.jit
def k(x):
    v = tl.load(x) & tl.load(x)

# case: invert-float
# launch: *fp32
# error: wrong type argument to unary invert (triton.language.float32)
@triton.jit
def k(x):
    v = ~tl.load(x)

# case: minus-pointer
# launch: *fp32
# error: wrong type argument to unary minus (pointer<fp32>)
@triton.jit
def k(x):
    v = -x

# case: scalar-range
# launch: *int8
# error: Scalar 300 is out of range for type int8
@triton.jit
def k(x):
    v = tl.load(x) + 300

# case: negative-scalar-unsigned
# launch: *uint8
# error: Cannot perform a binary operation between an unsigned tensor and a negative scalar
@triton.jit
def k(x):
    v = tl.load(x) + -3

# case: axis
# launch: *fp32
# error: invalid axis 1. Expected -1 <= axis < 1
@triton.jit
def k(x):
    v = tl.sum(tl.load(x + tl.arange(0, 4)), axis=1)

# case: static-assert-fails
# launch: *fp32 B=8
# error: CompileTimeAssertionFailure('B must be 4')
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(B == 4, "B must be 4")

# case: static-assert-fstring
# launch: *fp32 B=8
# error: B is 8, not 4
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(B == 4, f"B is {B}, not 4")

# case: static-assert-runtime
# launch: *fp32 8
# error: Assertion condition could not be determined at compile-time
@triton.jit
def k(x, n):
    tl.static_assert(n == 4)

# case: constexpr-redefined
# launch: *fp32
# error: v is already defined. constexpr cannot be reassigned.
@triton.jit
def k(x):
    v = 1
    v: tl.constexpr = 2

# case: none-plus
# launch: *fp32 None
# error: 'NoneType' object has no attribute 'type'
@triton.jit
def k(x, n):
    v = tl.load(x) + n

# case: string-to-tensor
# launch: *fp32
# error: cannot convert a of type <class 'str'> to tensor
@triton.jit
def k(x):
    v = "a"

# case: element-ty-of-scalar
# launch: *fp32
# error: 'dtype' object has no attribute 'element_ty'
@triton.jit
def k(x):
    v = tl.load(x).dtype.element_ty

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

# case: while-true
# launch: *fp32
# error: 'constexpr' object has no attribute 'handle'
@triton.jit
def k(x):
    while True:
        pass

# case: clamp-int
# launch: *int32
# error: Only floating point clamp is supported
@triton.jit
def k(x):
    v = tl.clamp(tl.load(x), 0, 4)

# case: full-float-into-int
# launch: *int32
# error: incompatible function arguments
@triton.jit
def k(x):
    v = tl.full((4,), 1.5, tl.int32)

# case: string-too-long
# launch: *fp32
# error: MemoryError
@triton.jit
def k(x):
    a: tl.constexpr = "a" * 1000000000

# case: string-doubling
# launch: *fp32
# error: a string of more than 65536 bytes
@triton.jit
def k(x):
    a: tl.constexpr = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" * 512
    b: tl.constexpr = a + a + a + a + a + a + a + a + a + a
    c: tl.constexpr = b + b + b + b + b + b + b + b + b + b
    d: tl.constexpr = c + c + c + c + c + c + c + c + c + c
    e: tl.constexpr = d + d + d + d + d + d + d + d + d + d

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

# case: load-cache-modifier
# launch: *fp32
# error: Cache modifier .wb not supported
@triton.jit
def k(x):
    tl.store(x, tl.load(x, cache_modifier=".wb"))

# case: store-cache-modifier
# launch: *fp32
# error: Cache modifier .ca not supported
@triton.jit
def k(x):
    tl.store(x, 1, cache_modifier=".ca")

# case: load-eviction-policy
# launch: *fp32
# error: Eviction policy evict_normal not supported
@triton.jit
def k(x):
    tl.store(x, tl.load(x, eviction_policy="evict_normal"))

# case: store-eviction-policy
# launch: *fp32
# error: Eviction policy first not supported
@triton.jit
def k(x):
    tl.store(x, 1, eviction_policy="first")

# case: block-load-cache-modifier
# launch: *fp32 64
# error: Cache modifier .x not supported
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    v = tl.load(p, cache_modifier=".x")

# case: hints-that-exist
# launch: *fp32
# ok
@triton.jit
def k(x):
    a = tl.load(x, cache_modifier=".cv", eviction_policy="evict_first")
    tl.store(x, a, cache_modifier=".cs", eviction_policy="evict_last")
    tl.store(x, tl.load(x, cache_modifier=None, eviction_policy=""), cache_modifier="")

# case: math-of-a-tensor
# launch: *fp32
# error: TypeError('must be real number, not tensor')
import math
@triton.jit
def k(x):
    tl.store(x, math.exp(tl.load(x)))

# case: math-of-a-runtime-number
# launch: *fp32 7
# error: must be real number, not tensor
import math
@triton.jit
def k(x, n):
    tl.store(x, math.sqrt(n))

# case: math-domain
# launch: *fp32
# error: ValueError('math domain error')
import math
@triton.jit
def k(x):
    tl.store(x, math.sqrt(-1.0))

# case: math-range
# launch: *fp32
# error: OverflowError('math range error')
import math
@triton.jit
def k(x):
    tl.store(x, math.exp(1000))

# case: math-unknown-name
# launch: *fp32
# error: module 'math' has no attribute 'rsqrt'
import math
@triton.jit
def k(x):
    tl.store(x, math.rsqrt(4))

# case: math-too-many
# launch: *fp32
# error: TypeError('math.exp() takes exactly one argument (2 given)')
import math
@triton.jit
def k(x):
    tl.store(x, math.exp(1, 2))

# case: math-keyword
# launch: *fp32
# error: math.sqrt() takes no keyword arguments
import math
@triton.jit
def k(x):
    tl.store(x, math.sqrt(x=4))

# case: math-of-a-text
# launch: *fp32
# error: must be real number, not str
import math
@triton.jit
def k(x):
    tl.store(x, math.exp("1"))

# case: math-not-here
# launch: *fp32
# unsupported: math.gamma in a kernel
import math
@triton.jit
def k(x):
    tl.store(x, math.gamma(4))

# case: math-is-a-constexpr
# launch: *fp32 C=16
# ok
import math
@triton.jit
def k(x, C: tl.constexpr):
    s: tl.constexpr = 1 / math.sqrt(C)
    i = tl.arange(0, math.ceil(math.log2(C)))
    tl.store(x + i, tl.load(x + i) * s + len("ab"))

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

# case: annotation-unknown
# launch: *fp32
# error: NameError('Missing is not defined')
@triton.jit
def k(x):
    y: Missing = 1

# case: annotation-of-pythons
# launch: *fp32
# error: NameError('bool is not defined')
@triton.jit
def k(x):
    y: bool = True

# case: annotation-unknown-member
# launch: *fp32
# error: module 'triton.language' has no attribute 'nothing'
@triton.jit
def k(x):
    y: list[tl.nothing] = 1

# case: annotation-of-a-value
# launch: *fp32 4
# error: Did you forget to add @triton.jit ?
@triton.jit
def k(x, n):
    y: n = 1

# case: annotation-text-is-no-constant
# launch: *fp32
# error: arange's arguments must be of type tl.constexpr
@triton.jit
def k(x):
    B: "tl.constexpr" = 4
    tl.store(x + tl.arange(0, B), 1.0)

# case: annotation-text-may-repeat
# launch: *fp32
# ok
@triton.jit
def k(x):
    B = 3
    B: "tl.constexpr" = 4
    tl.store(x, B)

# case: annotations-known
# launch: *fp32
# ok
@triton.jit
def k(x):
    a: tl.tensor = 1
    b: int = 2
    c: torch.Tensor = 3
    d: list[int] = 4
    e: int | None = 5
    f: "anything" = 6
    B: tl.constexpr = 4
    tl.store(x + tl.arange(0, B), a + b + c + d + e + f)

# case: default-annotated-with-pythons
# launch: *fp32 1
# error: NameError('bool is not defined')
@triton.jit
def k(x, F: bool = True):
    tl.store(x, F)

# case: default-of-a-helper
# launch: *fp32
# error: NameError('str is not defined')
@triton.jit
def h(x, mode: str = "a"):
    return x
@triton.jit
def k(x):
    tl.store(x, h(1.0))

# case: default-annotated-with-what-is-known
# launch: *fp32 1
# ok
import torch
@triton.jit
def h(x, F: torch.dtype = 1, G: "bool" = 1, I: int = 1):
    return x
@triton.jit
def k(x, F: "bool"):
    tl.store(x, h(1.0))

# case: annotated-with-pythons
# launch: *fp32 1
# error: NameError('bool is not defined')
@triton.jit
def k(x, F: bool):
    tl.store(x, F)

# case: typing-is-taken-for-a-function
# launch: *fp32 1
# error: Unsupported function referenced: typing.Optional
from typing import Optional as Maybe
@triton.jit
def k(x, n: Maybe[int]):
    tl.store(x, n)

# case: typing-by-its-module
# launch: *fp32
# error: Unsupported function referenced: typing.Union
import typing
@triton.jit
def h(x) -> typing.Union[int, float]:
    return x
@triton.jit
def k(x):
    tl.store(x, h(1.0))

# case: classes-of-typing
# launch: *fp32 1
# ok
import typing
from typing import Any
@triton.jit
def k(x: typing.Any, n: typing.SupportsInt, m: "Optional[int]" = 1) -> Any:
    tl.store(x, n + m)

# case: classes-of-typing-by-name
# launch: *fp32
# error: typing.Any cannot be used from within
from typing import Any
@triton.jit
def k(x: Any):
    tl.store(x, 1)
