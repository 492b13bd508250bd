# Binding a launch: dynamic_func() is Triton's name for it.

# case: missing-one
# launch: *fp32
# error: dynamic_func() missing 1 required positional argument: 'n'
@triton.jit
def k(x, n):
    pass

# case: missing-two
# launch: *fp32
# error: dynamic_func() missing 2 required positional arguments: 'n' and 'm'
@triton.jit
def k(x, n, m):
    pass

# case: missing-three
# launch:
# error: dynamic_func() missing 3 required positional arguments: 'x', 'n', and 'm'
@triton.jit
def k(x, n, m):
    pass

# case: unknown
# launch: *fp32 3 BLOK=4
# error: Keyword argument BLOK was specified but unrecognised
@triton.jit
def k(x, n):
    pass

# case: twice
# launch: *fp32 3 n=4
# error: dynamic_func() got multiple values for argument 'n'
@triton.jit
def k(x, n):
    pass

# case: too-many
# launch: *fp32 3 4
# error: dynamic_func() takes 2 positional arguments but 3 were given
@triton.jit
def k(x, n):
    pass

# case: default
# launch: *fp32
# ok
@triton.jit
def k(x, n: tl.constexpr = 4, t: tl.constexpr = tl.float16):
    tl.static_assert(n == 4)
    tl.static_assert(t == tl.float16)

# case: default-from-global
# launch: *fp32
# ok
BLOCK = 32
@triton.jit
def k(x, n: tl.constexpr = BLOCK):
    tl.static_assert(n == 32)

# case: options
# launch: *fp32 num_warps=8 num_stages=3
# ok
@triton.jit
def k(x):
    pass

# case: num-warps
# launch: *fp32 num_warps=6
# error: num_warps must be a power of 2
@triton.jit
def k(x):
    pass

# case: constexpr-positional
# launch: *fp32 64
# ok
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(tl.arange(0, B).shape[0] == 64)

# case: constexpr-string-annotation
# launch: *fp32 64
# ok
@triton.jit
def k(x, B: "tl.constexpr"):
    tl.static_assert(tl.arange(0, B).shape[0] == 64)

# case: tensor-for-constexpr
# launch: *fp32 *fp32
# error: a tensor was given for the constexpr 'B'
@triton.jit
def k(x, B: tl.constexpr):
    pass

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

# case: tuners-have-done-their-work
# launch: *fp32 B=4
# ok
@triton.autotune(configs=[triton.Config({"B": 4})], key=[])
@triton.heuristics({})
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(B == 4)

# case: dtype-argument
# launch: *fp32 tl.bfloat16
# ok
@triton.jit
def k(x, t: tl.constexpr):
    tl.static_assert(tl.zeros((4,), t).dtype == tl.bfloat16)

# case: unknown-decorator
# launch: *fp32
# warning: the decorator @libentry is ignored
@libentry()
@triton.jit
def k(x):
    pass

# case: name-of-the-launcher
# launch: *fp32 3
# error: dynamic_func(), which Triton writes for a launch, uses the name 'options'
@triton.jit
def k(x, options):
    tl.store(x, options)

# case: name-of-a-launch-option
# launch: *fp32 3
# error: uses the name 'debug'
@triton.jit
def k(x, debug):
    tl.store(x, debug)

# case: names-that-the-launcher-has-not
# launch: *fp32 1 2 3
# ok
@triton.jit
def k(x, grid, warmup, specialization):
    tl.store(x, grid + warmup + specialization)

# case: the-launcher-has-a-backend
# launch: *fp32 3
# error: 'backend'
@triton.jit
def k(x, backend):
    tl.store(x, backend)
