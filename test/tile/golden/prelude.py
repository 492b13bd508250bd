# Rows of op.def that Triton defines in its own language: their types, and that faults inside are reported at the call.

# case: types
# launch: *fp32 3
# ok
@triton.jit
def k(x, n):
    o = tl.arange(0, 8)
    tl.static_assert(tl.rand(n, o).dtype == tl.float32)
    tl.static_assert(tl.randn(n, o).dtype == tl.float32)
    tl.static_assert(tl.randint(n, o).dtype == tl.uint32)
    a, b, c, d = tl.randint4x(n, o)
    tl.static_assert(d.shape == [8])
    i, j = tl.swizzle2d(n, n, 4, 4, 2)
    tl.static_assert(i.dtype == tl.int32)

# case: a-seed-that-is-no-integer
# launch: *fp32 1.5
# error: the seed of tl.philox must be an integer
@triton.jit
def k(x, n):
    v = tl.rand(n, tl.arange(0, 8))

# case: an-offset-that-is-no-number
# launch: *fp32 3
# error: offset
@triton.jit
def k(x, n):
    v = tl.rand(n)

# case: a-width-that-nobody-has
# launch: *fp32 3
# error: dtype not supported
@triton.jit
def k(x, n):
    v = tl.uint_to_uniform_float(tl.load(x).to(tl.int8))
