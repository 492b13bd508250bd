# Elementary functions of tl, tl.math and of tensors.

# case: exp
# launch: *fp32 *fp32:0.5,2.0
# gives: 1.6487212707001282 7.38905609893065 1.6487212707001282 7.38905609893065 1.6487212707001282 7.38905609893065
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.exp(v))
    tl.store(y + 2 + o, tl.math.exp(v))
    tl.store(y + 4 + o, v.exp())

# case: exp-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.exp(tl.zeros((), tl.float16)))

# case: exp2
# launch: *fp32 *fp32:0.5,2.0
# gives: 1.4142135623730951 4.0 1.4142135623730951 4.0 1.4142135623730951 4.0
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.exp2(v))
    tl.store(y + 2 + o, tl.math.exp2(v))
    tl.store(y + 4 + o, v.exp2())

# case: exp2-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.exp2(tl.zeros((), tl.float16)))

# case: log
# launch: *fp32 *fp32:0.5,2.0
# gives: -0.6931471805599453 0.6931471805599453 -0.6931471805599453 0.6931471805599453 -0.6931471805599453 0.6931471805599453
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.log(v))
    tl.store(y + 2 + o, tl.math.log(v))
    tl.store(y + 4 + o, v.log())

# case: log-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.log(tl.zeros((), tl.float16)))

# case: log2
# launch: *fp32 *fp32:0.5,2.0
# gives: -1.0 1.0 -1.0 1.0 -1.0 1.0
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.log2(v))
    tl.store(y + 2 + o, tl.math.log2(v))
    tl.store(y + 4 + o, v.log2())

# case: log2-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.log2(tl.zeros((), tl.float16)))

# case: sqrt
# launch: *fp32 *fp32:0.5,2.0
# gives: 0.7071067811865476 1.4142135623730951 0.7071067811865476 1.4142135623730951 0.7071067811865476 1.4142135623730951
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.sqrt(v))
    tl.store(y + 2 + o, tl.math.sqrt(v))
    tl.store(y + 4 + o, v.sqrt())

# case: sqrt-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.sqrt(tl.zeros((), tl.float16)))

# case: rsqrt
# launch: *fp32 *fp32:0.5,2.0
# gives: 1.414213562373095 0.7071067811865475 1.414213562373095 0.7071067811865475 1.414213562373095 0.7071067811865475
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.rsqrt(v))
    tl.store(y + 2 + o, tl.math.rsqrt(v))
    tl.store(y + 4 + o, v.rsqrt())

# case: rsqrt-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.rsqrt(tl.zeros((), tl.float16)))

# case: sin
# launch: *fp32 *fp32:0.5,2.0
# gives: 0.479425538604203 0.9092974268256817 0.479425538604203 0.9092974268256817 0.479425538604203 0.9092974268256817
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.sin(v))
    tl.store(y + 2 + o, tl.math.sin(v))
    tl.store(y + 4 + o, v.sin())

# case: sin-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.sin(tl.zeros((), tl.float16)))

# case: cos
# launch: *fp32 *fp32:0.5,2.0
# gives: 0.8775825618903728 -0.4161468365471424 0.8775825618903728 -0.4161468365471424 0.8775825618903728 -0.4161468365471424
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.cos(v))
    tl.store(y + 2 + o, tl.math.cos(v))
    tl.store(y + 4 + o, v.cos())

# case: cos-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.cos(tl.zeros((), tl.float16)))

# case: erf
# launch: *fp32 *fp32:0.5,2.0
# gives: 0.5204998778130465 0.9953222650189527 0.5204998778130465 0.9953222650189527 0.5204998778130465 0.9953222650189527
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.erf(v))
    tl.store(y + 2 + o, tl.math.erf(v))
    tl.store(y + 4 + o, v.erf())

# case: erf-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.erf(tl.zeros((), tl.float16)))

# case: floor
# launch: *fp32 *fp32:0.5,2.0
# gives: 0.0 2.0 0.0 2.0 0.0 2.0
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.floor(v))
    tl.store(y + 2 + o, tl.math.floor(v))
    tl.store(y + 4 + o, v.floor())

# case: floor-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.floor(tl.zeros((), tl.float16)))

# case: ceil
# launch: *fp32 *fp32:0.5,2.0
# gives: 1.0 2.0 1.0 2.0 1.0 2.0
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.ceil(v))
    tl.store(y + 2 + o, tl.math.ceil(v))
    tl.store(y + 4 + o, v.ceil())

# case: ceil-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.ceil(tl.zeros((), tl.float16)))

# case: abs
# launch: *fp32 *fp32:-0.5,2.0
# gives: 0.5 2.0 0.5 2.0 0.5 2.0
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.abs(v))
    tl.store(y + 2 + o, tl.math.abs(v))
    tl.store(y + 4 + o, v.abs())

# case: sqrt_rn
# launch: *fp32 *fp32:0.5,2.0
# gives: 0.7071067811865476 1.4142135623730951 0.7071067811865476 1.4142135623730951 0.7071067811865476 1.4142135623730951
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.sqrt_rn(v))
    tl.store(y + 2 + o, tl.math.sqrt_rn(v))
    tl.store(y + 4 + o, v.sqrt_rn())

# case: sqrt_rn-fp16
# launch: *fp16
# error: Expected dtype ['fp32'] but got fp16
@triton.jit
def k(y):
    tl.store(y, tl.sqrt_rn(tl.zeros((), tl.float16)))

# case: abs-pointer
# launch: *fp32
# error: Unexpected dtype
@triton.jit
def k(y):
    v = tl.abs(y)

# case: fma-fdiv
# launch: *fp32 *fp32:3,4
# gives: 10 13 10 13 1.5 2 1.5 2 1.5 2 1.5 2
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.fma(v, 3.0, 1.0))
    tl.store(y + 2 + o, tl.math.fma(v, 3.0, 1.0))
    tl.store(y + 4 + o, tl.fdiv(v, 2.0))
    tl.store(y + 6 + o, tl.math.fdiv(v, 2.0, ieee_rounding=True))
    tl.store(y + 8 + o, tl.div_rn(v, 2.0))
    tl.store(y + 10 + o, tl.math.div_rn(v, 2.0))

# case: fma-int
# launch: *int32
# error: unexpected type
@triton.jit
def k(y):
    v = tl.fma(tl.arange(0, 4), 2, 1)

# case: fdiv-int
# launch: *int32
# error: both operands of fdiv must have floating scalar type
@triton.jit
def k(y):
    v = tl.fdiv(tl.arange(0, 4), 2)

# case: div-rn-fp64
# launch: *fp64
# error: Expected dtype ['fp32'] but got fp64
@triton.jit
def k(y):
    v = tl.div_rn(tl.zeros((4,), tl.float64), 2.0)

# case: choice
# launch: *fp32 *fp32:1,5,-3,nan
# gives: 1 2 -3 2 2 5 2 2 1 4 -2 -2 1 5 3 0
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y + o, tl.minimum(v, 2.0))
    tl.store(y + 4 + o, tl.maximum(v, 2.0))
    tl.store(y + 8 + o, tl.clamp(v, -2.0, 4.0))
    tl.store(y + 12 + o, tl.where(v == v, tl.where(v > 0, v, -v), 0.0))

# case: propagate-nan
# launch: *fp32 *fp32:1,nan
# gives: 2 nan 1 nan 1.5 nan
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.maximum(v, 2.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(y + 2 + o, tl.minimum(v, 2.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(y + 4 + o, tl.clamp(v, 1.5, 2.0, propagate_nan=tl.PropagateNan.ALL))

# case: minimum-none
# launch: *fp32
# error: None
@triton.jit
def k(y):
    v = tl.minimum(tl.load(y), None)

# case: maximum-pointer
# launch: *fp32
# error: invalid operands of type pointer<fp32> and triton.language.float32
@triton.jit
def k(y):
    v = tl.maximum(y, 1.0)

# case: clamp-int
# launch: *int32
# error: Only floating point clamp is supported
@triton.jit
def k(y):
    v = tl.clamp(tl.arange(0, 4), 1, 2)

# case: where-shapes
# launch: *fp32
# error: incompatible dimensions at index 0: 4 and 8
@triton.jit
def k(y):
    v = tl.where(tl.arange(0, 4) > 1, tl.arange(0, 8), 0)

# case: sigmoid-softmax
# launch: *fp32 *fp32:0,1,2,3
# gives: 0.5 0.7310585786300049 0.8807970779778823 0.9525741268224334 0.5 0.7310585786300049 0.8807970779778823 0.9525741268224334 0.03205860328008499 0.08714431874203257 0.23688281808991013 0.6439142598879724 0.03205860328008499 0.08714431874203257 0.23688281808991013 0.6439142598879724
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y + o, tl.sigmoid(v))
    tl.store(y + 4 + o, v.sigmoid())
    tl.store(y + 8 + o, tl.softmax(v))
    tl.store(y + 12 + o, v[None, :].softmax(dim=1).reshape(4))

# case: sigmoid-fp16
# launch: *fp16
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    v = tl.sigmoid(tl.zeros((4,), tl.float16))

# case: softmax-axis
# launch: *fp32
# error: softmax() got an unexpected keyword argument 'axis'
@triton.jit
def k(y):
    v = tl.softmax(tl.zeros((4,), tl.float32), axis=0)

# case: whole-numbers
# launch: *int32 10
# gives: 4 4 4 16
@triton.jit
def k(y, n, B: tl.constexpr = 10):
    tl.store(y, tl.cdiv(n, 3))
    tl.store(y + 1, n.cdiv(3))
    tl.store(y + 2, triton.cdiv(B, 3))
    tl.store(y + 3, triton.next_power_of_2(B))

# case: cdiv-float
# launch: *fp32
# error: unexpected type fp32
@triton.jit
def k(y):
    v = tl.cdiv(tl.load(y), 3)

# case: host-cdiv-runtime
# launch: *int32 10
# error: Did you forget to add @triton.jit ?
@triton.jit
def k(y, n):
    v = triton.cdiv(n, 3)

# case: next-power-runtime
# launch: *int32 10
# error: Did you forget to add @triton.jit ?
@triton.jit
def k(y, n):
    v = triton.next_power_of_2(n)

# case: by-name
# launch: *int64 7
# gives: 10 4 21 1 1 3 4
@triton.jit
def k(y, n):
    tl.store(y, tl.add(n, 3))
    tl.store(y + 1, tl.sub(n, 3, sanitize_overflow=False))
    tl.store(y + 2, tl.mul(3, n, True))
    tl.store(y + 3, (n > 3).logical_and(n < 9).to(tl.int32))
    tl.store(y + 4, (n > 3).logical_or(n > 9).to(tl.int32))
    tl.store(y + 5, tl.umulhi(n - 6 + 0x7fffffff, 4) + 1)
    tl.store(y + 6, tl.math.umulhi(n.to(tl.uint64) << 61, tl.full((), 5, tl.uint64)))

# case: add-pointers
# launch: *int32
# error: cannot add pointers together
@triton.jit
def k(y):
    v = tl.add(y, y)

# case: sub-none
# launch: *int32
# error: NoneType
@triton.jit
def k(y):
    v = tl.sub(1, None)

# case: mul-pointer
# launch: *int32
# error: invalid operands of type pointer<int32>
@triton.jit
def k(y):
    v = tl.mul(y, 2)

# case: logical-and-int
# launch: *int32 7
# error: Cannot bitcast data-type of size 32 to data-type of size 1
@triton.jit
def k(y, n):
    v = n.logical_and(n)

# case: umulhi-int16
# launch: *int32 7
# error: Expected dtype ['int32', 'int64', 'uint32', 'uint64'] but got int16
@triton.jit
def k(y, n):
    v = tl.umulhi(n.to(tl.int16), 3)

# case: swizzle
# launch: *int32
# gives: 0 1 2 0 1 2 3 3 0 0 0 1 1 1 0 1
@triton.jit
def k(y):
    o = tl.arange(0, 8)
    i, j = tl.swizzle2d(o // 2, o % 2, 4, 2, 3)
    tl.store(y + o, i)
    tl.store(y + 8 + o, j)

# case: swizzle-float
# launch: *int32
# error: unexpected type fp32
@triton.jit
def k(y):
    v = tl.swizzle2d(1.5, 2, 4, 4, 2)
