# Operators: Python's rules between constants, Triton's with a tensor.

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

# case: chained-comparison
# launch: *fp32 3
# error: simultaneous multiple comparison is not supported
@triton.jit
def k(x, n):
    v = 0 < n < 5

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

# case: constexpr-is-python
# launch: *fp32 B=8
# ok
OFFSET = tl.constexpr(3)
SCALE = tl.constexpr(2.5)
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(-7 // 2 == -4)
    tl.static_assert(-7 % 4 == 1)
    tl.static_assert(7 / 2 == 3.5)
    tl.static_assert(2 ** 10 == 1024)
    H: tl.constexpr = B // 2
    tl.static_assert(tl.arange(0, H).shape[0] == 4)
    tl.static_assert(OFFSET + 1 == 4)
    tl.static_assert(SCALE == 2.5)
    tl.static_assert((B > 4 and B < 16) == True)
    tl.static_assert(not (B == 4))
    tl.static_assert((1 if B == 8 else 2) == 1)
    tl.static_assert(triton.cdiv(B, 3) == 3)
    tl.static_assert(triton.next_power_of_2(B + 1) == 16)
    tl.static_assert(float("inf") > 1e30)
    tl.static_assert(int(3.7) == 3)
    tl.static_assert(len((B, B)) == 2)
    tl.static_assert(tl.constexpr(B).value == 8)

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
