# Rows of op.def in ops_libdevice.c: types, shapes, messages.

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
