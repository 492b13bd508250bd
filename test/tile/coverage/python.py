# What Python itself gives a kernel: tuples, functions as values, attributes by name, scopes, questions about the target.

# case: functions-as-values
# launch: *int32 7
# gives: 14 14 14 15
@triton.jit
def twice(x):
    return x * 2
@triton.jit
def call(x, fn: tl.constexpr):
    return fn(x)
@triton.jit
def call_plain(x, fn):
    return fn(x)
@triton.jit
def k(y, n):
    fs: tl.constexpr = (twice, twice)
    tl.store(y, call(n, twice))
    tl.store(y + 1, call_plain(n, twice))
    tl.store(y + 2, fs[1](n))
    tl.store(y + 3, getattr(tl, "add")(twice(n), 1))

# case: tuples
# launch: *int32 7
# gives: 7 2 3 10 2 9 0 0
@triton.jit
def add3(a, b, c):
    return a + b + c
@triton.jit
def swap(a, b):
    return b, a
@triton.jit
def k(y, n):
    t = (n, 2) + (3,)
    a, b, c = t
    (d, e) = swap(b, a)
    f = t[-1]
    tl.store(y, a)
    tl.store(y + 1, b)
    tl.store(y + 2, c)
    tl.store(y + 3, d + f)
    tl.store(y + 4, len(t[1:]))
    tl.store(y + 5, add3(*(n, 1), t[0] - 6))
    ones: tl.constexpr = [1] * 2 + [2]
    tl.store(y + 6 + tl.arange(0, 2), tl.zeros(ones, tl.int32).reshape(2))
    u = tl.tuple((1, 2)) if False else (1, 2)
    v = [x + 1 for x in u]

# case: attributes-by-name
# launch: *int32 7
# gives: 1 0 1 7
@triton.jit
def k(y, n):
    tl.store(y, 1 if hasattr(tl, "sum") else 0)
    tl.store(y + 1, 1 if hasattr(tl, "tanh") else 0)
    tl.store(y + 2, 1 if hasattr(n, "dtype") else 0)
    tl.store(y + 3, n if getattr(n, "no_such", None) is None else 0)

# case: getattr-unknown
# launch: *int32
# error: module 'triton.language' has no attribute 'tanh'
@triton.jit
def k(y):
    f: tl.constexpr = getattr(tl, "tanh")

# case: carried-tuple
# launch: *int32 6
# gives: 8
@triton.jit
def k(y, n):
    t = (0, 1)
    for i in range(n):
        t = (t[1], t[0] + t[1])
    tl.store(y, t[0])

# case: carried-none
# launch: *int32 6
# error: Loop carried variable a is not a triton value
@triton.jit
def k(y, n):
    a = None
    for i in range(n):
        a = i

# case: local-of-a-loop
# launch: *int32 6
# error: a is not defined
@triton.jit
def k(y, n):
    for i in range(n):
        a = i
    tl.store(y, a)

# case: local-of-a-while
# launch: *int32 6
# error: z is not defined
@triton.jit
def k(y, n):
    i = 0
    while i < n:
        z = i
        i += 1
    tl.store(y, z)

# case: local-of-an-arm
# launch: *int32 6
# error: a is not defined
@triton.jit
def k(y, n):
    if n > 3:
        a = 1
    tl.store(y, a)

# case: local-of-a-constexpr-arm
# launch: *int32 6
# gives: 1
@triton.jit
def k(y, n, B: tl.constexpr = 3):
    if B > 2:
        a = 1
    tl.store(y, a)

# case: annotated-global
# launch: *int32
# error: Cannot access global variable D from within @jit'ed function
D: tl.constexpr = 5
@triton.jit
def k(y):
    tl.store(y, D)

# case: target
# launch: *int32
# gives: 1 0 1 0 1048576
@triton.jit
def k(y):
    tl.store(y, 1 if tl.target_info.is_cuda() else 0)
    hip: tl.constexpr = tl.target_info.is_hip() or tl.target_info.is_hip_cdna3() or tl.target_info.is_hip_cdna4()
    tl.store(y + 1, 1 if hip else 0)
    tl.store(y + 2, 1 if tl.target_info.cuda_capability_geq(8, 9) else 0)
    tl.store(y + 3, 1 if tl.target_info.cuda_capability_geq(10) else 0)
    tl.store(y + 4, tl.TRITON_MAX_TENSOR_NUMEL)

# case: target-runtime
# launch: *int32 8
# error: a compute capability is two constexpr integers
@triton.jit
def k(y, n):
    c: tl.constexpr = tl.target_info.cuda_capability_geq(n)

# case: math-of-constexprs
# launch: *fp32 16
# gives: 0.25 8 3 2 3 5 -3 3 1.5 2 1 0 4
import math
@triton.jit
def k(y, C: tl.constexpr):
    tl.store(y, 1 / math.sqrt(C))
    tl.store(y + 1, math.pow(2, 3))
    tl.store(y + 2, math.log(8, 2))
    tl.store(y + 3, math.log10(100))
    tl.store(y + 4, math.ceil(2.5))
    tl.store(y + 5, math.floor(C / 3))
    tl.store(y + 6, math.trunc(-3.9))
    tl.store(y + 7, math.floor(math.pi))
    tl.store(y + 8, math.fabs(-1.5) * math.exp(0) + math.log1p(0) + math.sin(0) + math.expm1(0) + math.erf(0) + math.tanh(0))
    tl.store(y + 9, math.exp2(math.cos(0)))
    tl.store(y + 10, 1 if math.isinf(math.inf) and math.isnan(math.nan) else 0)
    tl.store(y + 11, 1 if math.isfinite(math.inf) else 0)
    tl.store(y + 12, len("äbcd"))
