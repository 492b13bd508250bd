# Dotted paths of Triton, imports, and what to write instead.

# case: imports
# launch: *fp32
# ok
import math
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as ld
from triton.language import math as tlm
PI = math.pi
t32 = tl.float32
@triton.jit
def k(x):
    v = tl.load(x)
    v = libdevice.tanh(v) + ld.log1p(v) + tlm.exp(v) + tl.math.exp2(v) + math.pi
    v += tl.extra.libdevice.pow(v, 2.0) + tl.extra.cuda.libdevice.rsqrt(v)
    tl.store(x, v.to(t32))

# case: unknown-module
# launch: *fp32
# error: numpy.exp cannot be used from within @jit'ed function
import numpy as np
@triton.jit
def k(x):
    tl.store(x, np.exp(1.0))

# case: unknown-name-in-tl
# launch: *fp32
# error: AttributeError("module 'triton.language' has no attribute 'tanh'")
@triton.jit
def k(x):
    tl.store(x, tl.tanh(tl.load(x)))

# case: unknown-name-in-tl-math
# launch: *fp32
# error: module 'triton.language.math' has no attribute 'tanh'
@triton.jit
def k(x):
    tl.store(x, tl.math.tanh(tl.load(x)))

# case: mean-does-not-exist
# launch: *fp32
# error: has no attribute 'mean'
@triton.jit
def k(x):
    tl.store(x, tl.mean(tl.load(x + tl.arange(0, 4))))

# case: unknown-libdevice
# launch: *fp32
# error: module 'triton.language.extra.libdevice' has no attribute 'gelu'
from triton.language.extra import libdevice
@triton.jit
def k(x):
    tl.store(x, libdevice.gelu(tl.load(x)))

# case: what-there-is-instead-of-tanh
# launch: *fp32
# error: has no attribute 'tanh'"); there is libdevice.tanh (from triton.language.extra import libdevice)
@triton.jit
def k(x):
    tl.store(x, tl.math.tanh(tl.load(x)))

# case: what-there-is-instead-of-an-old-module
# launch: *fp32
# error: AttributeError("module 'triton.language' has no attribute 'libdevice'"); there is from triton.language.extra import libdevice
@triton.jit
def k(x):
    tl.store(x, tl.libdevice.tanh(tl.load(x)))

# case: what-there-is-instead-of-mean
# launch: *fp32
# error: has no attribute 'mean'"); there is tl.sum(x, axis) / n
@triton.jit
def k(x):
    tl.store(x, tl.mean(tl.load(x + tl.arange(0, 4))))
