# Random numbers: Philox 4x32-10 and what is made of it. Known answers are Random123's.

# case: philox-known-answer-0
# launch: *int64
# gives: 1713891541 3781805453 3159862348 2600524760 1713891541 3781805453 3159862348 2600524760
@triton.jit
def k(y):
    a, b, c, d = tl.philox_impl(tl.full((1,), 0x0, tl.uint32), tl.full((1,), 0x0, tl.uint32), tl.full((1,), 0x0, tl.uint32), tl.full((1,), 0x0, tl.uint32), tl.full((1,), 0x0, tl.uint32), tl.full((1,), 0x0, tl.uint32))
    o = tl.arange(0, 1)
    tl.store(y + o, a)
    tl.store(y + 1 + o, b)
    tl.store(y + 2 + o, c)
    tl.store(y + 3 + o, d)
    e, f, g, h = tl.philox(0x0 + (0x0 << 32), tl.full((), 0x0, tl.uint32), tl.full((), 0x0, tl.uint32), tl.full((), 0x0, tl.uint32), tl.full((), 0x0, tl.uint32), n_rounds=10)
    tl.store(y + 4, e)
    tl.store(y + 5, f)
    tl.store(y + 6, g)
    tl.store(y + 7, h)

# case: philox-known-answer-2
# launch: *int64
# gives: 3513581065 2499661035 1342301216 605187745 3513581065 2499661035 1342301216 605187745
@triton.jit
def k(y):
    a, b, c, d = tl.philox_impl(tl.full((1,), 0x243f6a88, tl.uint32), tl.full((1,), 0x85a308d3, tl.uint32), tl.full((1,), 0x13198a2e, tl.uint32), tl.full((1,), 0x3707344, tl.uint32), tl.full((1,), 0xa4093822, tl.uint32), tl.full((1,), 0x299f31d0, tl.uint32))
    o = tl.arange(0, 1)
    tl.store(y + o, a)
    tl.store(y + 1 + o, b)
    tl.store(y + 2 + o, c)
    tl.store(y + 3 + o, d)
    e, f, g, h = tl.philox(0xa4093822 + (0x299f31d0 << 32), tl.full((), 0x243f6a88, tl.uint32), tl.full((), 0x85a308d3, tl.uint32), tl.full((), 0x13198a2e, tl.uint32), tl.full((), 0x3707344, tl.uint32), n_rounds=10)
    tl.store(y + 4, e)
    tl.store(y + 5, f)
    tl.store(y + 6, g)
    tl.store(y + 7, h)

# case: philox-64-bits
# launch: *int64
# gives: 374689182 3676372637 3622269646 2120791690 3369481231 2613227669 2518925174 3053103979
@triton.jit
def k(y):
    zero = tl.full((), 0, tl.uint64)
    a, b, c, d = tl.philox_impl(zero, zero, zero, zero, zero, zero)
    tl.store(y, a >> 32)
    tl.store(y + 1, b >> 32)
    tl.store(y + 2, c >> 32)
    tl.store(y + 3, d >> 32)
    o = tl.arange(0, 1)
    one = tl.full((1,), 1, tl.int64)
    a, b, c, d = tl.random.philox(42, one, one + 1, one + 2, one + 3)
    tl.store(y + 4 + o, a & 0xffffffff)
    tl.store(y + 5 + o, b & 0xffffffff)
    tl.store(y + 6 + o, c & 0xffffffff)
    tl.store(y + 7 + o, d & 0xffffffff)

# case: randint
# launch: *int64 123456789012
# gives: 72472112 1147030357 1410736014 3894846513 3944871888 1753644883 249717958 3607677486 1410736014 1956941171 2069258786 2709450438 3784563319
@triton.jit
def k(y, seed):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.randint(seed, o))
    tl.store(y + 4 + o, tl.random.randint(seed, o, n_rounds=7))
    a, b, c, d = tl.randint4x(seed, o)
    tl.store(y + 8 + o * 0, tl.sum(tl.where(o == 2, a, 0)), mask=o == 0)
    tl.store(y + 9, tl.sum(tl.where(o == 2, b, 0)))
    tl.store(y + 10, tl.sum(tl.where(o == 2, c, 0)))
    tl.store(y + 11, tl.sum(tl.where(o == 2, d, 0)))
    wide = tl.full((1,), 21474836483, tl.int64)
    tl.store(y + 12 + tl.arange(0, 1), tl.randint(seed, wide))

# case: rand
# launch: *fp32 123456789012
# gives: 0.03374745324254036 0.5341275930404663 0.6569250822067261 0.1863207370042801 0.7586261034011841 0.1403231918811798 0.7383137345314026 0.8075862526893616 0.4951522288050575 -1.0651165655258539 0.7779100952549435 -0.025211740172954897 -0.20180057575991417 0.2148630458679685 -0.2716861037533347 -1.7974090438432555 0.03374745324254036 0.5341275930404663 0.6569250822067261 0.1863207370042801
@triton.jit
def k(y, seed):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.rand(seed, o))
    a, b, c, d = tl.rand4x(seed, o)
    tl.store(y + 4 + o, d)
    tl.store(y + 8 + o, tl.randn(seed, o))
    p, q, r, s = tl.randn4x(seed, o)
    tl.store(y + 12 + o, s)
    bits = tl.randint(seed, o)
    tl.store(y + 16 + o, tl.uint_to_uniform_float(bits))
    e, f = tl.pair_uniform_to_normal(a, b)
    tl.static_assert(e.dtype == tl.float32)

# case: random-module
# launch: *fp32 123456789012
# gives: 0.03374745324254036 0.5341275930404663 0.6569250822067261 0.1863207370042801 0.4951522288050575 -1.0651165655258539 0.7779100952549435 -0.025211740172954897 0.03374745324254036 0.5341275930404663 0.6569250822067261 0.1863207370042801 1 1
@triton.jit
def k(y, seed):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.random.rand(seed, o, 10))
    tl.store(y + 4 + o, tl.random.randn(seed, o))
    a, b, c, d = tl.random.rand4x(seed, o)
    e, f, g, h = tl.random.randint4x(seed, o)
    tl.store(y + 8 + o, tl.random.uint_to_uniform_float(e))
    p, q, r, s = tl.random.randn4x(seed, o)
    m, n = tl.random.pair_uniform_to_normal(a, b)
    tl.store(y + 12, tl.min((m == p).to(tl.int32), 0))
    zero = tl.full((), 0, tl.uint32)
    t, u, v, w = tl.random.philox_impl(zero, zero, zero, zero, zero, zero)
    tl.store(y + 13, (t == 0x6627e8d5).to(tl.int32))

# case: rand-offset-one
# launch: *fp32 1
# error: has no attribute 'to'
@triton.jit
def k(y, n):
    v = tl.rand(3, n)

# case: rand-seed
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.rand(3.5, tl.arange(0, 4))

# case: rand4x-seed
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.rand4x(3.5, tl.arange(0, 4))

# case: randn-seed
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.randn(3.5, tl.arange(0, 4))

# case: randn4x-seed
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.randn4x(3.5, tl.arange(0, 4))

# case: randint-seed
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.randint(3.5, tl.arange(0, 4))

# case: randint4x-seed
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.randint4x(3.5, tl.arange(0, 4))

# case: philox-counters
# launch: *fp32
# error: bitwidth not supported in philox
@triton.jit
def k(y):
    h = tl.zeros((4,), tl.int16)
    v = tl.philox(3, h, h, h, h)

# case: philox-impl-type
# launch: *fp32
# error: dtype not supported in philox_impl
@triton.jit
def k(y):
    h = tl.zeros((4,), tl.int32)
    v = tl.philox_impl(h, h, h, h, h, h)

# case: uniform-type
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.uint_to_uniform_float(tl.zeros((4,), tl.int16))

# case: normal-type
# launch: *fp32
# error: Expected dtype ['fp32', 'fp64'] but got fp16
@triton.jit
def k(y):
    h = tl.zeros((4,), tl.float16)
    v = tl.pair_uniform_to_normal(h.to(tl.float32), h)
