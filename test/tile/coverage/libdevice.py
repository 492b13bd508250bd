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

# case: tan
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.5463024898437905 0.30933626267125297
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.tan(tl.load(a + o)))

# case: asin
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.5235987755982989 0.3046926665119266
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.asin(tl.load(a + o)))

# case: acos
# launch: *fp32 *fp32:-0.5,0.3
# gives: 2.0943951023931957 1.26610366028297
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.acos(tl.load(a + o)))

# case: atan
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.982793723247329 1.2490457723982544
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.atan(tl.load(a + o)))

# case: sinh
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.5210953054937474 0.3045203059085488
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.sinh(tl.load(a + o)))

# case: cosh
# launch: *fp32 *fp32:-0.5,0.3
# gives: 1.1276259652063807 1.0453385177590253
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.cosh(tl.load(a + o)))

# case: asinh
# launch: *fp32 *fp32:1.5,3.0
# gives: 1.1947632172871094 1.8184464592320668
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.asinh(tl.load(a + o)))

# case: acosh
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.9624236501192069 1.762747174039086
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.acosh(tl.load(a + o)))

# case: atanh
# launch: *fp32 *fp32:-0.5,0.3
# gives: -0.5493061443340548 0.3095196173030337
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.atanh(tl.load(a + o)))

# case: exp10
# launch: *fp32 *fp32:-0.5,0.3
# gives: 0.31622776601683794 1.9952623697367424
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.exp10(tl.load(a + o)))

# case: log10
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.17609125905568124 0.47712125471966244
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.log10(tl.load(a + o)))

# case: cbrt
# launch: *fp32 *fp32:27.0,-8.0
# gives: 3.0 -2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.cbrt(tl.load(a + o)))

# case: rcbrt
# launch: *fp32 *fp32:27.0,-8.0
# gives: 0.3333333333333333 -0.5
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rcbrt(tl.load(a + o)))

# case: erfc
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.033894853524689274 2.2090496998585438e-05
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.erfc(tl.load(a + o)))

# case: erfcx
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.32158541645431754 0.17900115118138993
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.erfcx(tl.load(a + o)))

# case: lgamma
# launch: *fp32 *fp32:1.5,3.0
# gives: -0.12078223763524543 0.693147180559945
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.lgamma(tl.load(a + o)))

# case: tgamma
# launch: *fp32 *fp32:5.0,-1.5
# gives: 24.0 2.3632718012073544
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.tgamma(tl.load(a + o)))

# case: sinpi
# launch: *fp32 *fp32:0.25,0.75
# gives: 0.7071067811865475 0.7071067811865476
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.sinpi(tl.load(a + o)))

# case: cospi
# launch: *fp32 *fp32:0.25,0.75
# gives: 0.7071067811865476 -0.7071067811865475
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.cospi(tl.load(a + o)))

# case: normcdf
# launch: *fp32 *fp32:-0.5,0.3
# gives: 0.3085375387259869 0.6179114267354496
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.normcdf(tl.load(a + o)))

# case: logb
# launch: *fp32 *fp32:0.75,100.0
# gives: -1.0 6.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.logb(tl.load(a + o)))

# case: rcp_rn
# launch: *fp32 *fp32:1.5,3.0
# gives: 0.6666666666666666 0.3333333333333333
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rcp_rn(tl.load(a + o)))

# case: ilogb
# launch: *fp32 *fp32:0.75,100.0
# gives: -1.0 6.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.ilogb(tl.load(a + o)))

# case: signbit
# launch: *fp32 *fp32:-0.0,2.0
# gives: 1.0 0.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.signbit(tl.load(a + o)))

# case: saturatef
# launch: *fp32 *fp32:-3.0,0.5
# gives: 0.0 0.5
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.saturatef(tl.load(a + o)))

# case: erfinv
# launch: *fp32 *fp32:0.5204998778130465,-0.8427007929497149
# gives: 0.5 -1.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.erfinv(tl.load(a + o)))

# case: erfcinv
# launch: *fp32 *fp32:0.4795001221869535,0.1572992070502851
# gives: 0.5 1.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.erfcinv(tl.load(a + o)))

# case: normcdfinv
# launch: *fp32 *fp32:0.5,0.8413447460685429
# gives: 0.0 1.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.normcdfinv(tl.load(a + o)))

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

# case: atan2
# launch: *fp32 *fp32:1.0,-2.0 *fp32:-1.0,-3.0
# gives: 2.356194490192345 -2.5535900500422257
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.atan2(tl.load(a + o), tl.load(b + o)))

# case: hypot
# launch: *fp32 *fp32:3.0,5.0 *fp32:4.0,12.0
# gives: 5.0 13.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.hypot(tl.load(a + o), tl.load(b + o)))

# case: rhypot
# launch: *fp32 *fp32:3.0,5.0 *fp32:4.0,12.0
# gives: 0.2 0.07692307692307693
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rhypot(tl.load(a + o), tl.load(b + o)))

# case: fdim
# launch: *fp32 *fp32:3.0,1.0 *fp32:1.0,2.0
# gives: 2.0 0.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.fdim(tl.load(a + o), tl.load(b + o)))

# case: remainder
# launch: *fp32 *fp32:5.0,-7.5 *fp32:3.0,2.0
# gives: -1.0 0.5
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.remainder(tl.load(a + o), tl.load(b + o)))

# case: nextafter
# launch: *fp32 *fp32:1.0,1.0 *fp32:2.0,0.0
# gives: 1.0000001192092896 0.9999999403953552
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.nextafter(tl.load(a + o), tl.load(b + o)))

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

# case: norm3d
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0 *fp32:-0.5,0.3
# gives: 1.6007810593582121 3.106847277732293
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b, c):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.norm3d(tl.load(a + o), tl.load(b + o), tl.load(c + o)))

# case: rnorm3d
# launch: *fp32 *fp32:0.25,0.75 *fp32:1.5,3.0 *fp32:-0.5,0.3
# gives: 0.6246950475544243 0.32186969960425804
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b, c):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rnorm3d(tl.load(a + o), tl.load(b + o), tl.load(c + o)))

# case: ldexp
# launch: *fp32 *fp32:1.5,3.0 *int32:3,-1
# gives: 12.0 1.5
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.ldexp(tl.load(a + o), tl.load(b + o)))

# case: scalbn
# launch: *fp32 *fp32:1.5,3.0 *int32:3,-1
# gives: 12.0 1.5
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.scalbn(tl.load(a + o), tl.load(b + o)))

# case: mulhi
# launch: *int64 *int32:1073741824,-1073741824 *int32:8,8
# gives: 2 -2
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.mulhi(tl.load(a + o), tl.load(b + o)))

# case: clz
# launch: *int64 *int32:1,0
# gives: 31 32
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.clz(tl.load(a + o)))

# case: popc
# launch: *int64 *int32:7,-1
# gives: 3 32
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.popc(tl.load(a + o)))

# case: ffs
# launch: *int64 *int32:8,0
# gives: 4 0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.ffs(tl.load(a + o)))

# case: brev
# launch: *int64 *int32:1,2
# gives: -2147483648 1073741824
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.brev(tl.load(a + o)))

# case: hadd
# launch: *int64 *int32:3,-3 *int32:4,-4
# gives: 3 -4
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.hadd(tl.load(a + o), tl.load(b + o)))

# case: rhadd
# launch: *int64 *int32:3,-3 *int32:4,-4
# gives: 4 -3
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.rhadd(tl.load(a + o), tl.load(b + o)))

# case: sad
# launch: *int64 *int32:3,9 *int32:5,4 *uint32:10,10
# gives: 12 15
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b, c):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.sad(tl.load(a + o), tl.load(b + o), tl.load(c + o)))

# case: byte_perm
# launch: *int64 *int32:197121,197121 *int32:117835012,117835012 *int32:291,30292
# gives: 16909056 117835012
from triton.language.extra import libdevice
@triton.jit
def k(y, a, b, c):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.byte_perm(tl.load(a + o), tl.load(b + o), tl.load(c + o)))

# case: float_as_int
# launch: *int64 *fp32:1.0,-2.0
# gives: 1065353216 -1073741824
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.float_as_int(tl.load(a + o)))

# case: float_as_uint
# launch: *int64 *fp32:1.0,-2.0
# gives: 1065353216 -1073741824
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.float_as_uint(tl.load(a + o)))

# case: int_as_float
# launch: *fp32 *int32:1065353216,1073741824
# gives: 1.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.int_as_float(tl.load(a + o)))

# case: uint_as_float
# launch: *fp32 *uint32:1065353216,1073741824
# gives: 1.0 2.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.uint_as_float(tl.load(a + o)))

# case: double_as_longlong
# launch: *int64 *fp64:1.0,-2.0
# gives: 1072693248 -1073741824
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.double_as_longlong(tl.load(a + o)) >> 32)

# case: longlong_as_double
# launch: *fp32 *int64:0,0
# gives: 0.0 0.0
from triton.language.extra import libdevice
@triton.jit
def k(y, a):
    o = tl.arange(0, 2)
    tl.store(y + o, libdevice.longlong_as_double(tl.load(a + o)))
