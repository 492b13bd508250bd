# Which arguments become constants, and which types the others have.

# case: specialised-types
# launch: *fp16 7 3000000000 -2147483648 2.5 True None (2,3.5,*bf16)
# ok
@triton.jit
def k(x, a, b, c, f, t, none, tup):
    tl.static_assert(x.dtype.element_ty == tl.float16)
    tl.static_assert(x.dtype.is_ptr())
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(b.dtype == tl.int64)
    tl.static_assert(c.dtype == tl.int32)
    tl.static_assert(f.dtype == tl.float32)
    tl.static_assert(t.dtype == tl.int1)
    tl.static_assert(none is None)
    tl.static_assert(tup[0].dtype == tl.int32)
    tl.static_assert(tup[1].dtype == tl.float32)
    tl.static_assert(tup[2].dtype.element_ty == tl.bfloat16)
    tl.static_assert(len(tup) == 3)

# case: one-is-constexpr
# launch: *fp32 1
# ok
@triton.jit
def k(x, n):
    tl.static_assert(n == 1)

# case: do-not-specialize-name
# launch: *fp32 1
# ok
@triton.jit(do_not_specialize=["n"])
def k(x, n):
    tl.static_assert(n.dtype == tl.int32)

# case: do-not-specialize-index
# launch: *fp32 1
# ok
@triton.jit(do_not_specialize=[1])
def k(x, n):
    tl.static_assert(n.dtype == tl.int32)

# case: annotated-type
# launch: *fp32 1 1 2
# ok
@triton.jit
def k(x, n: tl.int64, m: "i32", f: tl.float32):
    tl.static_assert(n.dtype == tl.int64)
    tl.static_assert(m.dtype == tl.int32)
    tl.static_assert(f.dtype == tl.float32)

# case: python-annotations-fix-the-type
# launch: *fp32 1 1 1
# ok
@triton.jit
def k(x, n: int, f: float, m: "int"):
    tl.static_assert(n.dtype == tl.int32)
    tl.static_assert(f.dtype == tl.float32)
    tl.store(x, n.to(tl.int64) + m.to(tl.int64) + f)

# case: annotated-overflow
# launch: *fp32 300
# error: 300 does not fit 'n', annotated as int8
@triton.jit
def k(x, n: tl.int8):
    pass

# case: annotated-half
# launch: *fp32 2.0
# unsupported: a float of less than 32 bits
@triton.jit
def k(x, n: tl.float16):
    pass

# case: dtype-argument
# launch: *fp32 tl.bfloat16
# ok
@triton.jit
def k(x, t: tl.constexpr):
    tl.static_assert(tl.zeros((4,), t).dtype == tl.bfloat16)

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
