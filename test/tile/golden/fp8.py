# 8-bit floats: types, operators, messages.

# case: types
# launch: *fp8e4nv *fp8e5 *fp32
# ok
@triton.jit
def k(a, b, y):
    i = tl.arange(0, 32)
    x = tl.load(a + i, mask=i < 20, other=0.0)
    tl.static_assert(x.dtype == tl.float8e4nv)
    tl.static_assert(x.dtype.is_fp8())
    tl.static_assert(x.dtype.is_floating())
    tl.static_assert(not x.dtype.is_standard_floating())
    tl.static_assert(x.dtype.primitive_bitwidth == 8)
    tl.store(y + i, x)
    tl.store(a + i, tl.load(y + i))
    tl.store(b + i, tl.load(y + i).to(tl.float16).to(tl.float8e5, fp_downcast_rounding="rtz"))
    z = tl.zeros((32, 32), tl.float8e5)
    tl.static_assert(tl.where(i < 3, x, x).dtype == tl.float8e4nv)
    d = tl.dot(z, z.trans())
    tl.static_assert(d.dtype == tl.float32)
    d = tl.dot(z, x.reshape(1, 32).broadcast_to(32, 32).trans(), d)
    h = tl.dot(z, z, out_dtype=tl.float16, max_num_imprecise_acc=32)
    tl.static_assert(h.dtype == tl.float16)
    tl.static_assert(x.to(tl.int8, bitcast=True).dtype == tl.int8)
    tl.static_assert((x * tl.load(y)).dtype == tl.float32)
    tl.static_assert((x + h.to(tl.float16).ravel().reshape(32, 32).max(0).to(tl.float16)).dtype == tl.float16)
    w = x.to(tl.float16).to(tl.float8e4b15)
    tl.static_assert(w.to(tl.float32).dtype == tl.float32)

# case: arithmetic
# launch: *fp8e5
# unsupported: arithmetic on fp8e5: convert to fp16 or fp32 first
@triton.jit
def k(a):
    x = tl.load(a)
    v = x + x

# case: sum
# launch: *fp8e5
# unsupported: arithmetic on fp8e5
@triton.jit
def k(a):
    v = tl.sum(tl.load(a + tl.arange(0, 16)))

# case: compare
# launch: *fp8e4nv
# unsupported: arithmetic on fp8e4nv
@triton.jit
def k(a):
    v = tl.load(a) < tl.load(a)

# case: to-int
# launch: *fp8e4nv
# error: cannot cast fp8e4nv[constexpr[16]] to <['16'], int32>
@triton.jit
def k(a):
    v = tl.load(a + tl.arange(0, 16)).to(tl.int32)

# case: from-int
# launch: *fp8e4nv
# error: cannot cast int32[] to fp8e4nv
@triton.jit
def k(a):
    tl.store(a, 3)

# case: with-int
# launch: *fp8e4nv 3
# error: unexpected type fp8e4nv and int32
@triton.jit
def k(a, n):
    v = tl.load(a) + n

# case: amd
# launch: *fp32
# error: type fp8e4b8 not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e4nv', 'fp8e5')
@triton.jit
def k(a):
    v = tl.load(a).to(tl.float8e4b8)

# case: amd-pointer
# launch: *fp8e5b16
# error: type fp8e5b16 not supported in this architecture
@triton.jit
def k(a):
    v = tl.load(a)

# case: full
# launch: *fp32
# error: object has no attribute 'get_fp8e5'
@triton.jit
def k(a):
    v = tl.full((16,), 1.0, tl.float8e5)

# case: toward-zero
# launch: *fp32
# unsupported: conversions to fp8e4nv toward zero
@triton.jit
def k(a):
    v = tl.load(a).to(tl.float8e4nv, fp_downcast_rounding="rtz")

# case: between
# launch: *fp8e5
# unsupported: conversions from fp8e5 to fp8e4nv
@triton.jit
def k(a):
    v = tl.load(a).to(tl.float8e4nv)

# case: custom
# launch: *bf16
# unsupported: conversions between fp8e4b15 and bf16
@triton.jit
def k(a):
    v = tl.load(a).to(tl.float8e4b15)

# case: small-k
# launch: *fp32
# error: Input shapes should have M >= 1, N >= 1 and K >= 32
@triton.jit
def k(a):
    v = tl.dot(tl.zeros((16, 16), tl.float8e5), tl.zeros((16, 16), tl.float8e5))

# case: mixed-dot
# launch: *fp32
# error: Unsupported lhs dtype fp8e5
@triton.jit
def k(a):
    v = tl.dot(tl.zeros((32, 32), tl.float8e5), tl.zeros((32, 32), tl.float16))

# case: imprecise
# launch: *fp32
# error: max_num_imprecise_acc (64) must be <= K (32)
@triton.jit
def k(a):
    z = tl.zeros((32, 32), tl.float8e5)
    v = tl.dot(z, z, max_num_imprecise_acc=64)

# case: atomic
# launch: *fp8e5
# error: atomic_add does not support fp8e5
@triton.jit
def k(a):
    tl.atomic_add(a, 1.0)
