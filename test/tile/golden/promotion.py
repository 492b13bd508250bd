# Section 6: promotion of tensors, weak scalars, casts, results of reductions.

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

# case: annotated-global-is-no-constexpr
# launch: *fp32
# error: Note that this is different from annotating a variable as constexpr
SCALE: tl.constexpr = 2.5
@triton.jit
def k(x):
    tl.store(x, SCALE)

# case: constexpr-is-python
# launch: *fp32 B=8
# ok
OFFSET = tl.constexpr(3)
SCALE = tl.constexpr(2.5)
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(-7 // 2 == -4)
    tl.static_assert(-7 % 4 == 1)
    tl.static_assert(7 / 2 == 3.5)
    tl.static_assert(2 ** 10 == 1024)
    H: tl.constexpr = B // 2
    tl.static_assert(tl.arange(0, H).shape[0] == 4)
    tl.static_assert(OFFSET + 1 == 4)
    tl.static_assert(SCALE == 2.5)
    tl.static_assert((B > 4 and B < 16) == True)
    tl.static_assert(not (B == 4))
    tl.static_assert((1 if B == 8 else 2) == 1)
    tl.static_assert(triton.cdiv(B, 3) == 3)
    tl.static_assert(triton.next_power_of_2(B + 1) == 16)
    tl.static_assert(float("inf") > 1e30)
    tl.static_assert(int(3.7) == 3)
    tl.static_assert(len((B, B)) == 2)
    tl.static_assert(tl.constexpr(B).value == 8)

# case: cdiv-decays
# launch: *fp32 B=8
# ok
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(tl.cdiv(B, 3).dtype == tl.int32)

# case: reductions
# launch: *fp16 *bf16 *int8 *fp32 *uint8
# ok
@triton.jit
def k(h, b, c, f, u):
    o = tl.arange(0, 8)
    h = tl.load(h + o); b = tl.load(b + o); c = tl.load(c + o); f = tl.load(f + o); u = tl.load(u + o)
    tl.static_assert(tl.sum(h).dtype == tl.float16)
    tl.static_assert(tl.sum(b).dtype == tl.bfloat16)
    tl.static_assert(tl.sum(c).dtype == tl.int32)
    tl.static_assert(tl.sum(u).dtype == tl.uint32)
    tl.static_assert(tl.sum(h, dtype=tl.float32).dtype == tl.float32)
    tl.static_assert(tl.max(h).dtype == tl.float32)
    tl.static_assert(tl.max(b).dtype == tl.float32)
    tl.static_assert(tl.min(c).dtype == tl.int32)
    tl.static_assert(tl.max(u).dtype == tl.int32)
    v, i = tl.max(h, axis=0, return_indices=True)
    tl.static_assert(v.dtype == tl.float16)
    tl.static_assert(i.dtype == tl.int32)
    w, j = tl.max(b, axis=0, return_indices=True)
    tl.static_assert(w.dtype == tl.float32)
    tl.static_assert(tl.argmax(f, 0).dtype == tl.int32)
    tl.static_assert(tl.cumsum(b).dtype == tl.float32)
    tl.static_assert(tl.cumsum(h).dtype == tl.float16)
    tl.static_assert(tl.cumsum(c).dtype == tl.int32)
    tl.static_assert(tl.softmax(h).dtype == tl.float32)
    tl.static_assert(h.sum().dtype == tl.float16)

# case: reduced-shapes
# launch: *fp32
# ok
@triton.jit
def k(x):
    t = tl.zeros((4, 8), tl.float32)
    tl.static_assert(tl.sum(t, axis=1).shape[0] == 4)
    tl.static_assert(tl.sum(t, axis=-2).shape[0] == 8)
    tl.static_assert(len(tl.sum(t).shape) == 0)
    tl.static_assert(tl.max(t, 1, keep_dims=True).shape[1] == 1)
    tl.static_assert(len(tl.sum(t, keep_dims=True).shape) == 2)
    tl.static_assert(len(tl.max(tl.zeros((8,), tl.float32)).shape) == 0)
    tl.static_assert((t - tl.max(t, 1)[:, None]).shape[1] == 8)
    tl.static_assert(t.T.shape[0] == 8)
    tl.static_assert(tl.trans(t, 1, 0).shape[0] == 8)
    tl.static_assert(tl.reshape(t, 2, 16).shape[1] == 16)
    tl.static_assert(t.reshape((32,)).shape[0] == 32)
    tl.static_assert(tl.ravel(t).shape[0] == 32)
    tl.static_assert(tl.expand_dims(t, 0).shape[0] == 1)
    tl.static_assert(tl.expand_dims(t, (0, -1)).shape[3] == 1)
    tl.static_assert(t[None, :, :].shape[0] == 1)
    tl.static_assert(tl.arange(0, 8)[None, :].shape[1] == 8)
    tl.static_assert((t + tl.arange(0, 8)).shape[0] == 4)
    tl.static_assert(t.numel == 32)

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

# case: where-non-bool
# launch: *fp32 *int32
# warning: tl.where with a non-boolean condition is deprecated
@triton.jit
def k(x, y):
    v = tl.where(tl.load(y), 1.0, 0.0)
