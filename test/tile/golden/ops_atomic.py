# Rows of op.def in ops_atomic.c: types, shapes, messages.

# case: returns-old-value
# launch: *fp32 *i32 *fp16 *bf16 *i64 *u32
# ok
@triton.jit
def k(x, n, h, b, l, u):
    o = tl.arange(0, 16)
    tl.static_assert(tl.atomic_add(x, 1.0).dtype == tl.float32)
    tl.static_assert(tl.atomic_add(n + o, 1, mask=o < 3).dtype == tl.int32)
    tl.static_assert(tl.atomic_add(n + o, 1).shape[0] == 16)
    tl.atomic_add(h + o, 1.0, sem="relaxed", scope="gpu")
    tl.atomic_add(b, 1)
    tl.atomic_max(x, 1.0)
    tl.atomic_min(l, 3)
    tl.atomic_and(u, 3)
    tl.atomic_or(n, 3)
    tl.atomic_xor(l, 3)
    tl.atomic_xchg(x, 3.0)
    old = tl.atomic_cas(n, 0, 1)
    tl.static_assert(old.dtype == tl.int32)
    x.atomic_add(2.0)

# case: max-fp16
# launch: *fp16
# error: ValueError('atomic_max does not support fp16')
@triton.jit
def k(x):
    tl.atomic_max(x, 1.0)

# case: min-bf16
# launch: *bf16
# error: atomic_min does not support bf16
@triton.jit
def k(x):
    tl.atomic_min(x, 1.0)

# case: xchg-fp16
# launch: *fp16
# error: atomic_xchg does not support fp16
@triton.jit
def k(x):
    tl.atomic_xchg(x, 1.0)

# case: int8
# launch: *i8
# error: atomic_add does not support int8
@triton.jit
def k(x):
    tl.atomic_add(x, 1)

# case: int16
# launch: *u16
# error: atomic_add does not support uint16
@triton.jit
def k(x):
    tl.atomic_add(x, 1)

# case: bool
# launch: *i1
# error: atomic_or does not support int1
@triton.jit
def k(x):
    tl.atomic_or(x, True)

# case: and-of-floats
# launch: *fp32
# error: atomic_and does not support fp32
@triton.jit
def k(x):
    tl.atomic_and(x, 1.0)

# case: no-pointer
# launch: *fp32
# error: Pointer argument of store instruction is triton.language.float32
@triton.jit
def k(x):
    tl.atomic_add(tl.load(x), 1.0)

# case: mask-type
# launch: *fp32
# error: Mask must have boolean scalar type
@triton.jit
def k(x):
    tl.atomic_add(x + tl.arange(0, 4), 1.0, mask=tl.arange(0, 4))

# case: block-value
# launch: *fp32
# error: Value argument cannot be block type if pointer argument is not a block
@triton.jit
def k(x):
    tl.atomic_add(x, tl.zeros((4,), tl.float32))

# case: wrong-shape
# launch: *fp32
# error: Cannot broadcast
@triton.jit
def k(x):
    tl.atomic_add(x + tl.arange(0, 4), tl.zeros((8,), tl.float32))

# case: semantics
# launch: *fp32
# error: Memory semantic strong not supported
@triton.jit
def k(x):
    tl.atomic_add(x, 1.0, sem="strong")

# case: cas-mask
# launch: *i32
# error: atomic_cas() got an unexpected keyword argument 'mask'
@triton.jit
def k(x):
    tl.atomic_cas(x, 0, 1, mask=True)

# case: cas-type
# launch: *i64
# error: atomic_cas wants cmp and val of type int64, got int32 and int32
@triton.jit
def k(x):
    tl.atomic_cas(x, 0, 1)

# case: cas-width
# launch: *i8
# error: atomic_cas only supports elements with width {16, 32, 64}
@triton.jit
def k(x):
    tl.atomic_cas(x, 0, 1)

# case: missing-value
# launch: *fp32
# error: atomic_add() missing 1 required positional argument: 'val'
@triton.jit
def k(x):
    tl.atomic_add(x)
