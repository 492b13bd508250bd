# Loads, stores and atomics.

# case: load-store
# launch: *fp32 *fp32:1,2,3,4 3
# gives: 1 2 3 -7
@triton.jit
def k(y, x, n):
    o = tl.arange(0, 4)
    v = tl.load(x + o, mask=o < n, other=-7.0, cache_modifier=".ca", eviction_policy="evict_last", volatile=False)
    tl.store(y + o, v, mask=o < 4, cache_modifier=".wb", eviction_policy="evict_first")

# case: load-other-without-mask
# launch: *fp32
# error: `other` cannot be provided without `mask`
@triton.jit
def k(y):
    v = tl.load(y, other=0.0)

# case: store-block-to-scalar
# launch: *fp32
# error: Value argument cannot be block type if pointer argument is not a block
@triton.jit
def k(y):
    tl.store(y, tl.zeros((4,), tl.float32))

# case: atomics
# launch: *int32
# gives: 5 1 3 8 7 2 10 42
@triton.jit
def k(y):
    o = tl.arange(0, 8)
    tl.store(y + o, o)
    tl.debug_barrier()
    tl.atomic_add(y, 5)
    tl.atomic_max(y + 1, 0)
    tl.atomic_min(y + 2, 9)
    tl.atomic_add(y + 2, 1, mask=tl.program_id(0) == 0)
    tl.atomic_add(y + 3, 5, sem="relaxed", scope="gpu")
    tl.atomic_or(y + 4, 3)
    tl.atomic_and(y + 5, 2)
    tl.atomic_add(y + 5, 2)
    tl.atomic_xor(y + 6, 12)
    tl.atomic_cas(y + 5, 2, 2)
    tl.atomic_xchg(y + 7, 42)

# case: atomic-methods
# launch: *int32
# gives: 5 3 0 2 7 1 10 42
@triton.jit
def k(y):
    o = tl.arange(0, 8)
    tl.store(y + o, o)
    tl.debug_barrier()
    y.atomic_add(5)
    (y + 1).atomic_max(3)
    (y + 2).atomic_min(0)
    (y + 3).atomic_cas(3, 2)
    (y + 4).atomic_or(3)
    (y + 5).atomic_and(3)
    (y + 6).atomic_xor(12)
    (y + 7).atomic_xchg(42)

# case: atomic-add-int16
# launch: *int16
# error: atomic_add does not support int16
@triton.jit
def k(y):
    tl.atomic_add(y, 1)

# case: atomic-max-fp16
# launch: *fp16
# error: atomic_max does not support fp16
@triton.jit
def k(y):
    tl.atomic_max(y, 1.0)

# case: atomic-min-fp16
# launch: *fp16
# error: atomic_min does not support fp16
@triton.jit
def k(y):
    tl.atomic_min(y, 1.0)

# case: atomic-and-float
# launch: *fp32
# error: atomic_and does not support fp32
@triton.jit
def k(y):
    tl.atomic_and(y, 1)

# case: atomic-or-uninitialised
# launch: *int32
# finds: which nothing has written yet
@triton.jit
def k(y):
    tl.atomic_or(y, 1)

# case: atomic-xor-sem
# launch: *int32
# error: Memory semantic strange not supported
@triton.jit
def k(y):
    tl.atomic_xor(y, 1, sem="strange")

# case: atomic-xchg-int8
# launch: *int8
# error: atomic_xchg does not support int8
@triton.jit
def k(y):
    tl.atomic_xchg(y, 1)

# case: atomic-cas-int8
# launch: *int8
# error: atomic_cas only supports elements with width {16, 32, 64}
@triton.jit
def k(y):
    tl.atomic_cas(y, 1, 2)

# case: atomic-max-keeps-nan
# launch: *fp32:nan,1,2,nan *fp32
# gives: nan 5 nan nan
@triton.jit
def k(x, y):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.load(x + o))
    v = tl.where(o < 2, 5.0, tl.load(x))
    tl.atomic_max(y + o, v)

# case: atomic-min-ignores-nan
# launch: *fp32:nan,1,2,nan *fp32
# gives: 5 1 2 nan
@triton.jit
def k(x, y):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.load(x + o))
    v = tl.where(o < 2, 5.0, tl.load(x))
    tl.atomic_min(y + o, v)

# case: atomic-value-of-another-rank
# launch: *fp32
# error: Cannot broadcast, rank mismatch: ['4'], ['4', '4']
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    tl.atomic_add(y + o[:, None] * 4 + o[None, :], o.to(tl.float32))

# case: atomic-mask-of-another-rank
# launch: *fp32
# error: Cannot broadcast, rank mismatch: ['4'], ['4', '4']
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    tl.atomic_add(y + o[:, None] * 4 + o[None, :], 1.0, mask=o < 2)

# case: atomic-tile-by-a-pointer
# launch: *fp32
# error: Value argument cannot be block type if pointer argument is not a block
@triton.jit
def k(y):
    tl.atomic_add(y, tl.arange(0, 4).to(tl.float32))

# case: atomic-rows-repeated
# launch: *fp32
# gives: 0 1 2 3 0 1 2 3
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    at = y + o[:, None] * 4 + o[None, :]
    tl.store(at, 0.0)
    tl.atomic_add(at, o[None, :].to(tl.float32), mask=o[:, None] < 2)

# case: range-in-a-comprehension
# launch: *fp32
# error: only tuple comprehensions are supported
@triton.jit
def k(y):
    q = [a for a in range(3)]
