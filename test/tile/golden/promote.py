# Triton's type rules: promotion, weak scalars, casts, broadcasting.

# case: tensor-tensor
# launch: *fp64 *fp32 *fp16 *bf16 *int32 *int8
# ok
@triton.jit
def k(d, f, h, b, i, c):
    d = tl.load(d); f = tl.load(f); h = tl.load(h); b = tl.load(b); i = tl.load(i); c = tl.load(c)
    tl.static_assert((d + f).dtype == tl.float64)
    tl.static_assert((i + d).dtype == tl.float64)
    tl.static_assert((f + h).dtype == tl.float32)
    tl.static_assert((b + f).dtype == tl.float32)
    tl.static_assert((h + b).dtype == tl.float16)
    tl.static_assert((h + i).dtype == tl.float16)
    tl.static_assert((b + b).dtype == tl.bfloat16)
    tl.static_assert((b + i).dtype == tl.float32)
    tl.static_assert((i + c).dtype == tl.int32)
    tl.static_assert((c * c).dtype == tl.int8)

# case: signedness
# launch: *int8 *uint8 *int32 *uint32 *int64 *uint64
# ok
@triton.jit
def k(a, b, c, d, e, f):
    a = tl.load(a); b = tl.load(b); c = tl.load(c); d = tl.load(d); e = tl.load(e); f = tl.load(f)
    tl.static_assert((a + b).dtype == tl.uint8)
    tl.static_assert((c + d).dtype == tl.uint32)
    tl.static_assert((c + b).dtype == tl.int32)
    tl.static_assert((d + e).dtype == tl.int64)
    tl.static_assert((e + f).dtype == tl.uint64)

# case: half-division
# launch: *fp16 *bf16 *int32
# ok
@triton.jit
def k(h, b, i):
    h = tl.load(h); b = tl.load(b); i = tl.load(i)
    tl.static_assert((h / h).dtype == tl.float32)
    tl.static_assert((b / b).dtype == tl.float32)
    tl.static_assert((h / 2.0).dtype == tl.float32)
    tl.static_assert((b % 2).dtype == tl.float32)
    tl.static_assert((i / i).dtype == tl.float32)
    tl.static_assert((i // i).dtype == tl.int32)
    tl.static_assert((i % 3).dtype == tl.int32)
    tl.static_assert((h * 2.0).dtype == tl.float16)

# case: weak-scalars
# launch: *fp16 *bf16 *int32 *int8 *uint8 0.5
# ok
@triton.jit
def k(h, b, i, c, u, eps):
    h = tl.load(h); b = tl.load(b); i = tl.load(i); c = tl.load(c); u = tl.load(u)
    tl.static_assert((h * 2.0).dtype == tl.float16)
    tl.static_assert((2.0 * b).dtype == tl.bfloat16)
    tl.static_assert((b + 1).dtype == tl.bfloat16)
    tl.static_assert((i * 2.0).dtype == tl.float32)
    tl.static_assert((c + 1).dtype == tl.int8)
    tl.static_assert((c + 1.0).dtype == tl.float32)
    tl.static_assert((u + 200).dtype == tl.uint8)
    tl.static_assert((b * eps).dtype == tl.float32)
    tl.static_assert((h * eps).dtype == tl.float32)
    tl.static_assert((c << 1).dtype == tl.int8)
    tl.static_assert((u & 3).dtype == tl.uint8)
    tl.static_assert((h * 1e40).dtype == tl.float16)
    tl.static_assert(tl.where(h > 0, h, 0.0).dtype == tl.float16)
    tl.static_assert(tl.where(h > 0, 1, 0.0).dtype == tl.float32)
    tl.static_assert(tl.where(i > 0, i, 0.5).dtype == tl.float32)

# case: not-weak
# launch: *fp16 *bf16 *int8
# ok
@triton.jit
def k(h, b, c):
    h = tl.load(h); b = tl.load(b); c = tl.load(c)
    tl.static_assert(tl.maximum(h, 0.0).dtype == tl.float32)
    tl.static_assert(tl.minimum(h, h).dtype == tl.float16)
    tl.static_assert(tl.maximum(b, b).dtype == tl.float32)
    tl.static_assert(tl.maximum(c, 0).dtype == tl.int32)
    tl.static_assert(tl.clamp(h, 0.0, 1.0).dtype == tl.float32)
    tl.static_assert(max(h, 1.0).dtype == tl.float32)
    tl.static_assert((b == 0.1).dtype == tl.int1)

# case: int1
# launch: *int1 *int32
# ok
@triton.jit
def k(t, i):
    t = tl.load(t); i = tl.load(i)
    tl.static_assert(t.dtype == tl.int1)
    tl.static_assert((t + t).dtype == tl.int1)
    tl.static_assert((t * t).dtype == tl.int1)
    tl.static_assert((t + 1).dtype == tl.int32)
    tl.static_assert((t & (i > 0)).dtype == tl.int1)
    tl.static_assert((~t).dtype == tl.int1)
    tl.static_assert((not t).dtype == tl.int1)
    tl.static_assert((t and t or t).dtype == tl.int1)
    tl.static_assert(tl.sum(tl.zeros((4,), tl.int1)).dtype == tl.uint32)

# case: decay
# launch: *fp32
# ok
@triton.jit
def k(x):
    a = 3
    b = 3000000000
    c = 5000000000
    d = 1.5
    e = True
    f = 1e-40
    g = None
    h = tl.float16
    i = -2147483649
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(b.dtype == tl.uint32)
    tl.static_assert(c.dtype == tl.int64)
    tl.static_assert(d.dtype == tl.float32)
    tl.static_assert(e.dtype == tl.int1)
    tl.static_assert(f.dtype == tl.float64)
    tl.static_assert(g is None)
    tl.static_assert(h == tl.float16)
    tl.static_assert(i.dtype == tl.int64)

# case: one-lane-tiles
# launch: *fp32
# ok
@triton.jit
def k(x):
    one = tl.zeros((1,), tl.float32)
    t = tl.zeros((8,), tl.float32)
    tl.static_assert((one + t).shape[0] == 8)
    tl.static_assert((t + one).shape[0] == 8)
    tl.static_assert(tl.where(one > 0, t, 1.0).shape[0] == 8)
    tl.static_assert(tl.where(t > 0, one, 1.0).shape[0] == 8)
    p = x + tl.arange(0, 1)
    v = tl.load(p, mask=t > 0, other=0.0)
    tl.static_assert(v.shape[0] == 8)
    q = tl.full((8,), p.to(p.dtype) if False else 0, tl.int32)

# case: casts
# launch: *fp32 *int32 *int1
# ok
@triton.jit
def k(x, y, t):
    f = tl.load(x)
    tl.static_assert(f.to(tl.float16).dtype == tl.float16)
    tl.static_assert(tl.cast(f, tl.int32).dtype == tl.int32)
    tl.static_assert(f.to(tl.float16, fp_downcast_rounding="rtz").dtype == tl.float16)
    tl.static_assert(f.to(x.dtype.element_ty).dtype == tl.float32)
    tl.static_assert(f.to(tl.float32, bitcast=True).dtype == tl.float32)
    tl.static_assert(f.dtype.is_floating() and f.dtype.is_fp32())
    tl.static_assert(not f.dtype.is_int())
    tl.static_assert(tl.load(y).dtype.is_int_signed())
    tl.static_assert(f.dtype.primitive_bitwidth == 32)
    tl.store(y, f)
    tl.store(t, f)
    tl.store(x, tl.load(y))

# case: bad-rounding
# launch: *fp32
# error: fp_downcast_rounding should be set only for truncating fp conversions
@triton.jit
def k(x):
    v = tl.load(x).to(tl.int32, fp_downcast_rounding="rtz")

# case: bitcast-size
# launch: *fp32
# error: Cannot bitcast data-type of size 32 to data-type of size 16
@triton.jit
def k(x):
    v = tl.load(x).to(tl.float16, bitcast=True)

# case: bitcast
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.load(x).to(tl.int32, bitcast=True)
    tl.static_assert(v.dtype == tl.int32)
    w = tl.cast(v & 0x7fffffff, tl.float32, bitcast=True)
    tl.static_assert(w.dtype == tl.float32)
    h = tl.load(x).to(tl.float16).to(tl.uint16, bitcast=True)
    tl.static_assert(h.dtype == tl.uint16)

# case: broadcast-rank
# launch: *fp32
# error: Cannot broadcast, rank mismatch: ['64'], [64, 2]
@triton.jit
def k(x):
    v = tl.broadcast_to(tl.arange(0, 64), (64, 2))

# case: broadcast-size
# launch: *fp32
# error: Cannot broadcast, the expanded size of the tensor (128) must match the existing size (64) at non-singleton dimension 0: ['64'], [128]
@triton.jit
def k(x):
    v = tl.broadcast_to(tl.arange(0, 64), 128)
