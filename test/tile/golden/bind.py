# A launch's arguments by Python's rules.

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

# case: tuners-have-done-their-work
# launch: *fp32 B=4
# ok
@triton.autotune(configs=[triton.Config({"B": 4})], key=[])
@triton.heuristics({})
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(B == 4)

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
