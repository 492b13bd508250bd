# Rows of op.def in ops_shape.c: types, shapes, messages.

# case: pointer-casts
# launch: *fp16 *i64
# ok
@triton.jit
def k(x, table):
    a = x.to(tl.int64)
    tl.static_assert(a.dtype == tl.int64)
    q = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.static_assert(q.dtype.element_ty == tl.float32)
    tl.store(q + tl.arange(0, 4), 1.0)
    many = tl.load(table + tl.arange(0, 4)).to(tl.pointer_type(tl.float16))
    tl.static_assert(tl.load(many).dtype == tl.float16)
    tl.load(x.to(tl.pointer_type(tl.int16), bitcast=True))
    tl.static_assert(x.to(tl.int1).dtype == tl.int1)

# case: pointer-from-int32
# launch: *fp16 40
# error: 'tt.int_to_ptr' op operand #0
@triton.jit
def k(x, n):
    n.to(tl.pointer_type(tl.float32))

# case: pointer-from-float
# launch: *fp16 1.5
# error: cannot cast fp32[] to pointer<fp32>
@triton.jit
def k(x, f):
    f.to(tl.pointer_type(tl.float32))

# case: pointer-to-int32
# launch: *fp16
# error: cannot cast pointer<fp16>[] to int32
@triton.jit
def k(x):
    x.to(tl.int32)

# case: pointer-to-pointer
# launch: *i64
# unsupported: pointers to pointer<fp16>
@triton.jit
def k(x):
    tl.load(x).to(tl.pointer_type(tl.pointer_type(tl.float16)))

# case: transposed-rank
# launch: *fp32
# error: permute dims must have the same length as input shape
@triton.jit
def k(x):
    a = tl.zeros((2, 4, 8), tl.float32).T

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

# case: shapes
# launch: *fp32
# error: Cannot make_shape_compatible: incompatible dimensions at index 0: 64 and 128
@triton.jit
def k(x):
    v = tl.arange(0, 64) + tl.arange(0, 128)

# case: reshape-elements
# launch: *fp32
# error: reshape() cannot change total number of elements in tensor
@triton.jit
def k(x):
    v = tl.reshape(tl.arange(0, 64), (8, 4))
