# libdevice, function by function. What each refuses is generated: no function takes fp16.

# case: tanh
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.46211715726000974 0.29131262336087355
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.tanh(tl.load(a + o)))

# case: exp
# launch: *fp32 *fp32:-0.5,0.3
# gives: 0.6065306597126334 1.3498588236675741
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.exp(tl.load(a + o)))

# case: expm1
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.3934693402873666 0.34985882366757415
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.expm1(tl.load(a + o)))

# case: log1p
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.6931471805599453 0.26236427363743636
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.log1p(tl.load(a + o)))

# case: rsqrt
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.8164965809277261 0.5773502691896258
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rsqrt(tl.load(a + o)))

# case: erf
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.5204998778130465 0.32862677175271543
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.erf(tl.load(a + o)))

# case: round
# launch: *fp32 *fp32:-2.5,1.5
# gives: -3.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.round(tl.load(a + o)))

# case: rint
# launch: *fp32 *fp32:-2.5,1.5
# gives: -2.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rint(tl.load(a + o)))

# case: nearbyint
# launch: *fp32 *fp32:-2.5,1.5
# gives: -2.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.nearbyint(tl.load(a + o)))

# case: trunc
# launch: *fp32 *fp32:-2.5,1.5
# gives: -2.0 1.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.trunc(tl.load(a + o)))

# case: floor
# launch: *fp32 *fp32:-2.5,1.5
# gives: -3.0 1.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.floor(tl.load(a + o)))

# case: ceil
# launch: *fp32 *fp32:-2.5,1.5
# gives: -2.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.ceil(tl.load(a + o)))

# case: llrint
# launch: *fp32 *fp32:-2.5,1.5
# gives: -2.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.llrint(tl.load(a + o)))

# case: llround
# launch: *fp32 *fp32:-2.5,1.5
# gives: -3.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.llround(tl.load(a + o)))

# case: sqrt
# launch: *fp32 *fp32:1.5,3.0
# gives: 1.224744871391589 1.7320508075688772
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.sqrt(tl.load(a + o)))

# case: sqrt_rn
# launch: *fp32 *fp32:1.5,3.0
# gives: 1.224744871391589 1.7320508075688772
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.sqrt_rn(tl.load(a + o)))

# case: rsqrt_rn
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.8164965809277261 0.5773502691896258
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rsqrt_rn(tl.load(a + o)))

# case: log
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.4054651081081644 1.0986122886681098
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.log(tl.load(a + o)))

# case: log2
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.5849625007211562 1.584962500721156
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.log2(tl.load(a + o)))

# case: exp2
# launch: *fp32 *fp32:-0.5,0.3
# gives: 0.7071067811865476 1.2311444235178113
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.exp2(tl.load(a + o)))

# case: sin
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.479425538604203 0.29552021804983797
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.sin(tl.load(a + o)))

# case: cos
# launch: *fp32 *fp32:-0.5,0.3
# gives: 0.8775825618903728 0.9553364856027305
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.cos(tl.load(a + o)))

# case: abs
# launch: *fp32 *fp32:-2.5,1.5
# gives: 2.5 1.5
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.abs(tl.load(a + o)))

# case: isnan
# launch: *fp32 *fp32:1.0,nan
# gives: 0.0 1.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.isnan(tl.load(a + o)))

# case: isinf
# launch: *fp32 *fp32:1.0,-inf
# gives: 0.0 1.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.isinf(tl.load(a + o)))

# case: finitef
# launch: *fp32 *fp32:1.0,inf
# gives: 1.0 0.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.finitef(tl.load(a + o)))

# case: isfinited
# launch: *fp32 *fp64:1.0,inf
# gives: 1.0 0.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.isfinited(tl.load(a + o)))

# case: pow
# launch: *fp32 *fp32:2.0,9.0 *fp32:3.0,0.5
# gives: 8.0 3.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.pow(tl.load(a + o), tl.load(b + o)))

# case: add_rn
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0
# gives: 1.75 3.75
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.add_rn(tl.load(a + o), tl.load(b + o)))

# case: sub_rn
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0
# gives: -1.25 -2.25
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.sub_rn(tl.load(a + o), tl.load(b + o)))

# case: mul_rn
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0
# gives: 0.375 2.25
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.mul_rn(tl.load(a + o), tl.load(b + o)))

# case: div_rn
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0
# gives: 0.16666666666666666 0.25
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.div_rn(tl.load(a + o), tl.load(b + o)))

# case: fmod
# launch: *fp32 *fp32:5.5,-5.5 *fp32:2.0,2.0
# gives: 1.5 -1.5
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.fmod(tl.load(a + o), tl.load(b + o)))

# case: copysign
# launch: *fp32 *fp32:1.0,-2.0 *fp32:-1.0,3.0
# gives: -1.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.copysign(tl.load(a + o), tl.load(b + o)))

# case: fma
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0 *fp32:-0.5,0.3
# gives: -0.125 2.550000011920929
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b, c):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.fma(tl.load(a + o), tl.load(b + o), tl.load(c + o)))

# case: fma_rn
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0 *fp32:-0.5,0.3
# gives: -0.125 2.550000011920929
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b, c):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.fma_rn(tl.load(a + o), tl.load(b + o), tl.load(c + o)))
