# Python's math inside kernels.

# case: math-of-a-tensor
# launch: *fp32
# error: TypeError('must be real number, not tensor')
import math
@triton.jit
def k(x):
    tl.store(x, math.exp(tl.load(x)))

# case: math-of-a-runtime-number
# launch: *fp32 7
# error: must be real number, not tensor
import math
@triton.jit
def k(x, n):
    tl.store(x, math.sqrt(n))

# case: math-domain
# launch: *fp32
# error: ValueError('math domain error')
import math
@triton.jit
def k(x):
    tl.store(x, math.sqrt(-1.0))

# case: math-range
# launch: *fp32
# error: OverflowError('math range error')
import math
@triton.jit
def k(x):
    tl.store(x, math.exp(1000))

# case: math-unknown-name
# launch: *fp32
# error: module 'math' has no attribute 'rsqrt'
import math
@triton.jit
def k(x):
    tl.store(x, math.rsqrt(4))

# case: math-too-many
# launch: *fp32
# error: TypeError('math.exp() takes exactly one argument (2 given)')
import math
@triton.jit
def k(x):
    tl.store(x, math.exp(1, 2))

# case: math-keyword
# launch: *fp32
# error: math.sqrt() takes no keyword arguments
import math
@triton.jit
def k(x):
    tl.store(x, math.sqrt(x=4))

# case: math-of-a-text
# launch: *fp32
# error: must be real number, not str
import math
@triton.jit
def k(x):
    tl.store(x, math.exp("1"))

# case: math-not-here
# launch: *fp32
# unsupported: math.gamma in a kernel
import math
@triton.jit
def k(x):
    tl.store(x, math.gamma(4))

# case: math-is-a-constexpr
# launch: *fp32 C=16
# ok
import math
@triton.jit
def k(x, C: tl.constexpr):
    s: tl.constexpr = 1 / math.sqrt(C)
    i = tl.arange(0, math.ceil(math.log2(C)))
    tl.store(x + i, tl.load(x + i) * s + len("ab"))
