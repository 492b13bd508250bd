# flip, join, split, interleave, cat, gather; reductions and scans with a function; libdevice.

# case: join
# launch: *fp32
# ok
@triton.jit
def k(x):
    a = tl.arange(0, 8)
    j = tl.join(a, a + 1)
    tl.static_assert(j.shape[1] == 2)
    p, q = tl.split(j)
    tl.static_assert(q.shape[0] == 8)
    p, q = j.split()
    i = tl.interleave(a, a)
    tl.static_assert(i.shape[0] == 16)
    s, t = tl.join(tl.sum(a, 0), tl.max(a, 0)).split()
    tl.static_assert(len(s.shape) == 0)
    c = tl.cat(a, a, can_reorder=True)
    tl.static_assert(c.shape[0] == 16)
    f = tl.flip(j, -1)
    f = tl.flip(a, 0)
    f = a.flip(0)
    g = tl.gather(j, tl.zeros((4, 2), tl.int32), 0)
    tl.static_assert(g.shape[0] == 4)
    m = tl.join(tl.arange(0, 4)[:, None], tl.arange(0, 2)[None, :])
    tl.static_assert(m.shape[0] == 4)
    tl.static_assert(m.shape[2] == 2)

# case: split-shape
# launch: *fp32
# error: last dimension of size 2
@triton.jit
def k(x):
    a, b = tl.split(tl.arange(0, 4))

# case: join-types
# launch: *fp32
# error: wants two tiles of one type, got <['4'], int32> and <['4'], fp32>
@triton.jit
def k(x):
    a = tl.arange(0, 4)
    j = tl.join(a, a.to(tl.float32))

# case: join-of-a-number
# launch: *fp32
# error: 'constexpr_type' object has no attribute 'is_block'
@triton.jit
def k(x):
    a = tl.join(tl.arange(0, 4), 1)

# case: cat-keeps-no-order
# launch: *fp32
# error: current implementation of `cat` always may reorder elements
@triton.jit
def k(x):
    a = tl.cat(tl.arange(0, 4), tl.arange(0, 4))

# case: cat-has-no-dim
# launch: *fp32
# error: cat() got an unexpected keyword argument 'dim'
@triton.jit
def k(x):
    a = tl.cat(tl.arange(0, 4), tl.arange(0, 4), can_reorder=True, dim=0)

# case: cat-of-rank-2
# launch: *fp32
# error: tl.cat wants two tiles of rank 1
@triton.jit
def k(x):
    a = tl.cat(tl.zeros((2, 2), tl.int32), tl.zeros((2, 2), tl.int32), can_reorder=True)

# case: flip-axis
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(x):
    a = tl.flip(tl.arange(0, 4), 1)

# case: gather-index
# launch: *fp32
# error: index must be an integer tensor
@triton.jit
def k(x):
    a = tl.gather(tl.arange(0, 4), tl.zeros((4,), tl.float32), 0)

# case: gather-rank
# launch: *fp32
# error: source and index tensors must have the same rank
@triton.jit
def k(x):
    a = tl.gather(tl.zeros((4, 4), tl.float32), tl.arange(0, 4), 0)

# case: gather-dims
# launch: *fp32
# error: index dim 0 must match the corresponding source dim
@triton.jit
def k(x):
    a = tl.gather(tl.zeros((4, 4), tl.float32), tl.zeros((4, 2), tl.int32), 0)

# case: reduce
# launch: *fp32
# ok
@triton.jit
def add(a, b):
    return a + b
@triton.jit
def both(a, b, c, d):
    return a + c, tl.maximum(b, d)
@triton.jit
def k(x):
    v = tl.zeros((4, 8), tl.float32)
    s = tl.reduce(v, 1, add)
    tl.static_assert(s.shape[0] == 4)
    s = tl.reduce(v, 0, add, keep_dims=True)
    tl.static_assert(s.shape[0] == 1)
    tl.static_assert(s.shape[1] == 8)
    s = tl.reduce(v, None, add)
    tl.static_assert(len(s.shape) == 0)
    s, m = tl.reduce((v, v), axis=1, combine_fn=both)
    c = tl.associative_scan(v, 1, add)
    tl.static_assert(c.shape[1] == 8)
    c, d = tl.associative_scan((v, v), 0, both, reverse=True)
    tl.static_assert(d.shape[0] == 4)

# case: reduce-function
# launch: *fp32
# error: combine_fn must be a @triton.jit function
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, tl.maximum)

# case: reduce-type
# launch: *fp32
# error: must return the types that it combines: int32, not <['4'], fp32>
@triton.jit
def add(a, b):
    return a + b + 0.5
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, add)

# case: reduce-count
# launch: *fp32
# error: must return as many values as it combines: 1
@triton.jit
def add(a, b):
    return a, b
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, add)

# case: reduce-arguments
# launch: *fp32
# error: add() missing 1 required positional argument: 'c'
@triton.jit
def add(a, b, c):
    return a
@triton.jit
def k(x):
    s = tl.reduce(tl.arange(0, 8), 0, add)

# case: scan-axis
# launch: *fp32
# error: an axis must be a constexpr integer
@triton.jit
def add(a, b):
    return a + b
@triton.jit
def k(x):
    s = tl.associative_scan(tl.arange(0, 8), None, add)

# case: libdevice
# launch: *fp32 3 *fp64
# ok
from triton.language.extra import libdevice
@triton.jit
def k(x, n, d):
    v = tl.load(x + tl.arange(0, 4))
    w = tl.load(d)
    tl.static_assert(libdevice.round(v).dtype == tl.float32)
    tl.static_assert(libdevice.rint(w).dtype == tl.float64)
    tl.static_assert(libdevice.llrint(v).dtype == tl.int64)
    tl.static_assert(libdevice.isnan(v).dtype == tl.int1)
    tl.static_assert(libdevice.isinf(w).dtype == tl.int1)
    tl.static_assert(libdevice.abs(n).dtype == tl.int32)
    y = libdevice.fma(v, 2.0, v) + libdevice.copysign(v, -1.0) + libdevice.fmod(v, 3.0) + libdevice.div_rn(v, 3.0)
    y += libdevice.floor(v) + libdevice.ceil(v) + libdevice.trunc(v) + libdevice.sqrt(v) + libdevice.log(v)
    y += libdevice.log2(v) + libdevice.exp2(v) + libdevice.sin(v) + libdevice.cos(v) + libdevice.abs(v)
    tl.static_assert(y.shape[0] == 4)

# case: libdevice-fp16
# launch: *fp16
# error: input arg type does not match. Expect one of fp32 and fp64, got (fp16)
from triton.language.extra import libdevice
@triton.jit
def k(x):
    v = libdevice.rint(tl.load(x))

# case: libdevice-mixed
# launch: *fp32 *fp64
# error: got (fp32, fp64)
from triton.language.extra import libdevice
@triton.jit
def k(x, y):
    v = libdevice.fmod(tl.load(x), tl.load(y))

# case: libdevice-later
# launch: *fp32
# unsupported: functions of libdevice
from triton.language.extra import libdevice
@triton.jit
def k(x):
    v = libdevice.j0(tl.load(x))

# case: transposed-rank
# launch: *fp32
# error: permute dims must have the same length as input shape
@triton.jit
def k(x):
    a = tl.zeros((2, 4, 8), tl.float32).T
