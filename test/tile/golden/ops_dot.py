# Rows of op.def in ops_dot.c: types, shapes, messages.

# case: types
# launch: *fp32
# ok
@triton.jit
def k(x):
    a = tl.zeros((16, 32), tl.float16)
    b = tl.zeros((32, 64), tl.float16)
    c = tl.dot(a, b)
    tl.static_assert(c.dtype == tl.float32)
    tl.static_assert(c.shape[0] == 16)
    tl.static_assert(c.shape[1] == 64)
    c = tl.dot(a, b, c)
    c = tl.dot(a, b, acc=c, input_precision="ieee")
    c += tl.dot(a, b, allow_tf32=False)
    h = tl.dot(a, b, out_dtype=tl.float16)
    tl.static_assert(h.dtype == tl.float16)
    i = tl.dot(a.to(tl.int8), b.to(tl.int8))
    tl.static_assert(i.dtype == tl.int32)
    i = tl.dot(a.to(tl.int8), b.to(tl.int8), i, out_dtype=tl.int32)
    f = tl.dot(a.to(tl.float32), tl.trans(b.to(tl.float32).trans()), input_precision="tf32x3")
    tl.static_assert(f.dtype == tl.float32)
    d = tl.dot(a.to(tl.float64), b.to(tl.float64))
    tl.static_assert(d.dtype == tl.float64)
    z = tl.dot(a.to(tl.bfloat16)[None, :, :], b.to(tl.bfloat16)[None, :, :])
    tl.static_assert(len(z.shape) == 3)
    one = tl.dot(tl.zeros((1, 16), tl.float32), tl.zeros((16, 1), tl.float32))

# case: mixed
# launch: *fp32
# error: Both operands must be same dtype. Got fp32 and fp16
@triton.jit
def k(x):
    tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float16))

# case: more-than-shared-memory
# launch: *fp32
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x):
    tl.dot(tl.zeros((16, 4096), tl.float32), tl.zeros((4096, 16), tl.float32))

# case: just-within-shared-memory
# launch: *fp32
# ok
@triton.jit
def k(x):
    tl.dot(tl.zeros((16, 2048), tl.float32), tl.zeros((2048, 16), tl.float32))

# case: small-k
# launch: *fp32
# error: Input shapes should have M >= 1, N >= 1 and K >= 16
@triton.jit
def k(x):
    tl.dot(tl.zeros((16, 8), tl.float32), tl.zeros((8, 16), tl.float32))

# case: small-k-int8
# launch: *fp32
# error: K >= 32
@triton.jit
def k(x):
    tl.dot(tl.zeros((16, 16), tl.int8), tl.zeros((16, 16), tl.int8))

# case: inner
# launch: *fp32
# error: input and other must have equal reduction dimensions
@triton.jit
def k(x):
    a = tl.zeros((16, 32), tl.float32)
    tl.dot(a, a)

# case: rank
# launch: *fp32
# error: input and other must have equal ranks >= 2
@triton.jit
def k(x):
    a = tl.zeros((16,), tl.float32)
    tl.dot(a, a)

# case: int32
# launch: *fp32
# error: Unsupported lhs dtype int32
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.int32)
    tl.dot(a, a)

# case: uint8
# launch: *fp32
# error: only int8 supported!
@triton.jit
def k(x):
    a = tl.zeros((32, 32), tl.uint8)
    tl.dot(a, a)

# case: bf16-out
# launch: *fp32
# error: out_dtype=bfloat16 is unsupported.
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, out_dtype=tl.bfloat16)

# case: two-precisions
# launch: *fp32
# error: Only one of input_precision and allow_tf32 can be specified
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="ieee", allow_tf32=True)

# case: unknown-precision
# launch: *fp32
# error: input_precision must be one of
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="exact")

# case: acc-type
# launch: *fp32
# error: acc of tl.dot must be a <['16', '16'], fp32> with out_dtype=fp32, got <['16', '16'], fp16>
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, a)

# case: acc-shape
# launch: *fp32
# error: accumulator shape is incompatible
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, tl.zeros((16, 32), tl.float32))

# case: too-large
# launch: *fp32
# error: exceeds triton maximum tensor numel
@triton.jit
def k(x):
    tl.dot(tl.zeros((2048, 16), tl.float32), tl.zeros((16, 1024), tl.float32))

# case: four-dimensions
# launch: *fp32
# ok
@triton.jit
def k(x):
    c = tl.dot(tl.zeros((2, 4, 8, 16), tl.float16), tl.zeros((2, 4, 16, 32), tl.float16), tl.zeros((2, 4, 8, 32), tl.float32))
    tl.static_assert(len(c.shape) == 4)
    tl.static_assert(c.shape[1] == 4)
    tl.static_assert(c.shape[3] == 32)

# case: batches
# launch: *fp32
# error: input and other must have equal batch shapes
@triton.jit
def k(x):
    tl.dot(tl.zeros((2, 16, 16), tl.float16), tl.zeros((4, 16, 16), tl.float16))

# case: no-tensor
# launch: *fp32
# error: 'constexpr' object has no attribute 'shape'
@triton.jit
def k(x):
    tl.dot(3, tl.zeros((16, 16), tl.float16))

# case: dot-trans-b
# launch: *fp32
# error: dot() got an unexpected keyword argument 'trans_b'
@triton.jit
def k(x):
    a = tl.zeros((16, 16), tl.float32)
    tl.store(x, tl.sum(tl.dot(a, a, trans_b=True)))
