# Python's few builtins inside kernels.

# case: python-builtin
# launch: *fp32
# error: NameError('sum is not defined')
@triton.jit
def k(x):
    v = sum(tl.load(x))

# case: lengths-and-lists
# launch: *fp32
# ok
@triton.jit
def k(x):
    t: tl.constexpr = (1, 2, 3)
    tl.static_assert(len(t) == 3)
    tl.static_assert(len("h\u00e9") == 2)
    tl.static_assert(len(list(t)) == 3)

# case: length-of-a-number
# launch: *fp32
# error: has no len()
@triton.jit
def k(x):
    n = len(3)

# case: numbers
# launch: *fp32
# ok
@triton.jit
def k(x):
    tl.static_assert(float(3) == 3.0)
    tl.static_assert(float("-inf") < 0)
    tl.static_assert(int(3.7) == 3)
    tl.static_assert(isinstance(3, int) and not isinstance(3, float))
    tl.static_assert(isinstance(tl.load(x), tl.tensor) and not isinstance(3, tl.tensor))

# case: float-of-a-tensor
# launch: *fp32
# error: float() argument must be a string or a real number
@triton.jit
def k(x):
    v = float(tl.load(x))

# case: isinstance-of-no-type
# launch: *fp32
# error: isinstance() arg 2 must be a type
@triton.jit
def k(x):
    v = isinstance(3, 3)

# case: attributes
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.load(x)
    tl.static_assert(hasattr(v, "dtype") and not hasattr(v, "nowhere"))
    tl.static_assert(getattr(v, "dtype") == tl.float32)
    tl.static_assert(getattr(v, "nowhere", 7) == 7)

# case: attribute-that-is-not-there
# launch: *fp32
# error: nowhere
@triton.jit
def k(x):
    v = getattr(tl.load(x), "nowhere")

# case: too-many-arguments
# launch: *fp32
# error: len() takes exactly 1 argument (2 given)
@triton.jit
def k(x):
    n = len((1, 2), 3)

# case: keyword-arguments
# launch: *fp32
# error: int() takes no keyword arguments
@triton.jit
def k(x):
    n = int(x=3)

# case: constexpr-of-a-tensor
# launch: *fp32
# error: a constexpr needs a value known at compile time
@triton.jit
def k(x):
    n = tl.constexpr(tl.load(x))

# case: types-ask
# launch: *fp16
# ok
@triton.jit
def k(x):
    t: tl.constexpr = x.dtype.element_ty
    tl.static_assert(t.is_fp16() and t.is_floating() and not t.is_fp32())
    tl.static_assert(x.dtype.is_ptr() and not t.is_ptr() and not t.is_int())
    tl.static_assert(tl.int8.is_int_signed() and tl.uint8.is_int_unsigned() and tl.int1.is_bool())

# case: pointer-types
# launch: *fp16
# ok
@triton.jit
def k(x):
    p = x.to(tl.pointer_type(tl.int16), bitcast=True)
    tl.static_assert(tl.load(p).dtype == tl.int16)

# case: pointer-type-of-a-number
# launch: *fp16
# error: expected `dtype`
@triton.jit
def k(x):
    p = x.to(tl.pointer_type(3), bitcast=True)

# case: pointer-type-keyword
# launch: *fp16
# error: unexpected keyword argument 'elem'
@triton.jit
def k(x):
    p = x.to(tl.pointer_type(elem=tl.int16), bitcast=True)

# case: other-address-spaces
# launch: *fp16
# unsupported: address spaces other than global memory
@triton.jit
def k(x):
    p = x.to(tl.pointer_type(tl.int16, 3), bitcast=True)
