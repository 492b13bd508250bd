# Rows of op.def in ops_memory.c: types, shapes, messages.

# case: arange-runtime
# launch: *fp32 8
# error: arange's arguments must be of type tl.constexpr
@triton.jit
def k(x, n):
    o = tl.arange(0, n)

# case: arange-decayed-local
# launch: *fp32 B=8
# error: arange's arguments must be of type tl.constexpr
@triton.jit
def k(x, B: tl.constexpr):
    B2 = B * 2
    o = tl.arange(0, B2)

# case: load-keyword
# launch: *fp32
# error: TypeError("load() got an unexpected keyword argument 'offset'")
@triton.jit
def k(x):
    v = tl.load(x, offset=1)

# case: arange-too-many
# launch: *fp32
# error: arange() takes 2 positional arguments but 3 were given
@triton.jit
def k(x):
    v = tl.arange(0, 4, 1)

# case: arange-one
# launch: *fp32
# error: arange() missing 1 required positional argument: 'end'
@triton.jit
def k(x):
    v = tl.arange(4)

# case: program-id-none
# launch: *fp32
# error: program_id() missing 1 required positional argument: 'axis'
@triton.jit
def k(x):
    v = tl.program_id()

# case: program-id-axis
# launch: *fp32
# error: program_id axis must be 0, 1, or 2 but got 3
@triton.jit
def k(x):
    v = tl.program_id(3)

# case: zeros-shape-is-no-tuple
# launch: *fp32 B=8
# error: 'int' object is not iterable
@triton.jit
def k(x, B: tl.constexpr):
    a = tl.zeros((B), tl.float32)

# case: arange-power
# launch: *fp32
# error: arange's range must be a power of 2
@triton.jit
def k(x):
    v = tl.arange(0, 12)

# case: arange-empty
# launch: *fp32
# error: arange's end argument must be greater than the start argument
@triton.jit
def k(x):
    v = tl.arange(4, 4)

# case: arange-int32
# launch: *fp32
# error: arange must fit in int32
@triton.jit
def k(x):
    v = tl.arange(0, 8589934592)

# case: other-without-mask
# launch: *fp32
# error: `other` cannot be provided without `mask`
@triton.jit
def k(x):
    v = tl.load(x, other=0.0)

# case: store-mask
# launch: *fp32 3
# error: Mask must have boolean scalar type
@triton.jit
def k(x, n):
    tl.store(x + tl.arange(0, 4), 1.0, mask=tl.arange(0, 4))

# case: load-mask
# launch: *fp32 3
# error: Mask must have boolean scalar type
@triton.jit
def k(x, n):
    v = tl.load(x + tl.arange(0, 4), mask=tl.arange(0, 4))

# case: block-to-scalar-pointer
# launch: *fp32
# error: Value argument cannot be block type if pointer argument is not a block
@triton.jit
def k(x):
    tl.store(x, tl.arange(0, 4))

# case: block-mask-scalar-pointer
# launch: *fp32
# error: Mask argument cannot be block type if pointer argument is not a block
@triton.jit
def k(x):
    v = tl.load(x, mask=tl.arange(0, 4) < 2)

# case: value-wider-than-pointers
# launch: *fp32
# error: Expected pointer argument to have shape ['constexpr[4]', 'constexpr[4]'] but got ['constexpr[4]', 'constexpr[1]']
@triton.jit
def k(x):
    p = x + tl.arange(0, 4)[:, None]
    tl.store(p, tl.zeros((4, 4), tl.float32))

# case: mask-wider-than-pointers
# launch: *fp32
# error: Expected pointer argument to have shape ['constexpr[4]', 'constexpr[4]'] but got ['constexpr[1]', 'constexpr[4]']
@triton.jit
def k(x):
    p = x + tl.arange(0, 4)[None, :]
    tl.store(p, 1.0, mask=tl.zeros((4, 4), tl.int1))

# case: load-widens
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.load(x + tl.arange(0, 4)[None, :], mask=tl.zeros((4, 4), tl.int1), other=0.0)
    tl.static_assert(v.shape[0] == 4 and v.shape[1] == 4)

# case: load-no-pointer
# launch: *fp32 3
# error: Unsupported ptr type triton.language.int32 in `tl.load`
@triton.jit
def k(x, n):
    v = tl.load(n)

# case: boundary-check
# launch: *fp32
# error: `padding_option` or `boundary_check` argument is not supported
@triton.jit
def k(x):
    v = tl.load(x, boundary_check=(0,))

# case: full-float-into-int
# launch: *int32
# error: incompatible function arguments
@triton.jit
def k(x):
    v = tl.full((4,), 1.5, tl.int32)

# case: load-cache-modifier
# launch: *fp32
# error: Cache modifier .wb not supported
@triton.jit
def k(x):
    tl.store(x, tl.load(x, cache_modifier=".wb"))

# case: store-cache-modifier
# launch: *fp32
# error: Cache modifier .ca not supported
@triton.jit
def k(x):
    tl.store(x, 1, cache_modifier=".ca")

# case: load-eviction-policy
# launch: *fp32
# error: Eviction policy evict_normal not supported
@triton.jit
def k(x):
    tl.store(x, tl.load(x, eviction_policy="evict_normal"))

# case: store-eviction-policy
# launch: *fp32
# error: Eviction policy first not supported
@triton.jit
def k(x):
    tl.store(x, 1, eviction_policy="first")

# case: hints-that-exist
# launch: *fp32
# ok
@triton.jit
def k(x):
    a = tl.load(x, cache_modifier=".cv", eviction_policy="evict_first")
    tl.store(x, a, cache_modifier=".cs", eviction_policy="evict_last")
    tl.store(x, tl.load(x, cache_modifier=None, eviction_policy=""), cache_modifier="")
