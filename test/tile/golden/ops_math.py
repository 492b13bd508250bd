# Rows of op.def in ops_math.c: types, shapes, messages.

# case: propagate-nan
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.load(x)
    tl.store(x, tl.maximum(v, 1.0, propagate_nan=tl.PropagateNan.ALL))

# case: host-cdiv-of-a-tensor
# launch: *fp32 100
# error: Did you forget to add @triton.jit ?
@triton.jit
def k(x, n):
    v = triton.cdiv(n, 4)

# case: cdiv-decays
# launch: *fp32 B=8
# ok
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(tl.cdiv(B, 3).dtype == tl.int32)

# case: where-non-bool
# launch: *fp32 *int32
# warning: tl.where with a non-boolean condition is deprecated
@triton.jit
def k(x, y):
    v = tl.where(tl.load(y), 1.0, 0.0)

# case: exp-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(x):
    v = tl.exp(tl.load(x))

# case: sqrt-int
# launch: *int32
# error: Expected dtype ['fp32', 'fp64'] but got int32
@triton.jit
def k(x):
    v = tl.sqrt(tl.load(x))

# case: sigmoid-bf16
# launch: *bf16
# error: Expected dtype ['fp32', 'fp64'] but got bf16
@triton.jit
def k(x):
    v = tl.sigmoid(tl.load(x))

# case: sqrt-rn-fp64
# launch: *fp64
# error: Expected dtype ['fp32'] but got fp64
@triton.jit
def k(x):
    v = tl.sqrt_rn(tl.load(x))

# case: clamp-int
# launch: *int32
# error: Only floating point clamp is supported
@triton.jit
def k(x):
    v = tl.clamp(tl.load(x), 0, 4)
