# Hints, messages and what has no effect.

# case: hints
# launch: *int32 64
# gives: 64 1 2 3 4 5 6 7
@triton.jit
def k(y, n, B: tl.constexpr = 4):
    tl.static_assert(B == 4, "block")
    tl.static_print("B", B)
    tl.assume(n > 0)
    o = tl.max_contiguous(tl.multiple_of(tl.arange(0, 8), 8), 8)
    o = tl.max_constancy(o, [1])
    tl.device_print("o", o)
    tl.device_assert(o >= 0, "positive")
    tl.debug_barrier()
    tl.store(y + o, tl.where(o == 0, n, o))

# case: static-assert
# launch: *int32
# error: block
@triton.jit
def k(y, B: tl.constexpr = 4):
    tl.static_assert(B == 8, "block")

# case: multiple-of-shape
# launch: *int32
# error: Shape of input to multiple_of does not match the length of values
@triton.jit
def k(y):
    o = tl.multiple_of(tl.arange(0, 8), (8, 8))

# case: promise-of-lanes-that-nobody-uses
# launch: *int32:10,11,12,13,14,15 *int32 6
# gives: 10 11 12 13 14 15
@triton.jit
def k(x, y, n):
    o = tl.arange(0, 8)
    w = tl.max_contiguous(tl.multiple_of(o % n, 8), 8)
    tl.store(y + o, tl.load(x + w), mask=o < n)

# case: promise-consecutive-is-not
# launch: *int32:10,11,12,13,14,15 *int32 6
# finds: tl.max_contiguous(.., 8) of lanes that are not consecutive, which reach a store: the compiler
@triton.jit
def k(x, y, n):
    o = tl.arange(0, 8)
    w = tl.max_contiguous(tl.multiple_of(o % n, 8), 8)
    tl.store(y + o, tl.load(x + w))

# case: promise-consecutive-in-smaller-groups
# launch: *int32:10,11,12,13,14,15 *int32 4
# gives: 10 11 12 13 10 11 12 13
@triton.jit
def k(x, y, n):
    o = tl.arange(0, 8)
    w = tl.max_contiguous(o % n, 4)
    tl.store(y + o, tl.load(x + w))

# case: promise-reaches-an-address
# launch: *int32 4
# finds: tl.max_contiguous(.., 8) of lanes that are not consecutive, which reach an address
@triton.jit
def k(y, n):
    o = tl.max_contiguous(tl.arange(0, 8) * n, 8)
    tl.store(y + o, 1)

# case: promise-reaches-a-mask
# launch: *int32 4
# finds: tl.max_contiguous(.., 8) of lanes that are not consecutive, which reach a mask
@triton.jit
def k(y, n):
    o = tl.max_contiguous(tl.arange(0, 8) % n, 8)
    tl.store(y + tl.arange(0, 8), 1, mask=o < 2)

# case: promise-reaches-a-sum
# launch: *int32 4
# finds: tl.max_constancy(.., 4) of lanes that are not equal, which reach tl.sum
@triton.jit
def k(y, n):
    tl.store(y, tl.sum(tl.max_constancy(tl.arange(0, 8) % n, 4), axis=0))

# case: promise-equal
# launch: *int32
# gives: 0 0 1 1 2 2 3 3
@triton.jit
def k(y):
    o = tl.arange(0, 8)
    tl.store(y + o, tl.max_constancy(o // 2, 2))

# case: promise-start
# launch: *int32 8
# gives: 0 0 0 0 0 0 0 0 5 5 5 5
@triton.jit
def k(y, n):
    tl.store(y + tl.arange(0, 8), 0)
    tl.store(y + tl.multiple_of(n + tl.arange(0, 4), 4), 5)

# case: promise-start-is-not
# launch: *int32 6
# finds: tl.multiple_of(.., 4) of a number that is none
@triton.jit
def k(y, n):
    tl.store(y + tl.multiple_of(n + tl.arange(0, 4), 4), 5)

# case: promise-start-of-a-block
# launch: *int32 6
# gives: 0 0 0 0 5 5 5 5
@triton.jit
def k(y, n, B: tl.constexpr = 4):
    tl.store(y + tl.arange(0, 4), 0)
    pid = tl.program_id(0).to(tl.int64) + n // 6
    o = tl.max_contiguous(tl.multiple_of(pid * B + tl.arange(0, B), B), B)
    tl.store(y + o, 5)

# case: promise-start-of-two-numbers
# launch: *int32 6 3
# finds: tl.multiple_of(.., 4) of lanes that start at no multiple of it, which reach an address
@triton.jit
def k(y, n, m):
    tl.store(y + tl.multiple_of(n + tl.arange(0, 4) + m, 4), 5)

# case: promise-starts-of-two-numbers
# launch: *int32 5 3
# gives: 0 0 0 0 0 0 0 0 5 5 5 5
@triton.jit
def k(y, n, m):
    tl.store(y + tl.arange(0, 8), 0)
    tl.store(y + tl.multiple_of(n + tl.arange(0, 4) + m, 4), 5)

# case: promise-of-rows
# launch: *int32 3
# finds: tl.multiple_of(.., 4) of lanes that start at no multiple of it, which reach an address
@triton.jit
def k(y, n):
    o = tl.arange(0, 4)[:, None] * n + tl.arange(0, 4)[None, :]
    tl.store(y + tl.multiple_of(o, (1, 4)), 5)

# case: promise-of-good-rows
# launch: *int32 4
# gives: 5 5 5 5 5 5 5 5
@triton.jit
def k(y, n):
    o = tl.arange(0, 4)[:, None] * n + tl.arange(0, 4)[None, :]
    tl.store(y + tl.max_contiguous(tl.multiple_of(o, (1, 4)), (1, 4)), 5)

# case: promise-of-pointers
# launch: *int32 4
# gives: 0 0 0 0 5 5 5 5
@triton.jit
def k(y, n):
    tl.store(y + tl.arange(0, 4), 0)
    p = tl.max_contiguous(tl.multiple_of(y + n + tl.arange(0, 4), 16), 4)
    tl.store(tl.multiple_of(y, 16), 0)
    tl.store(p, 5)

# case: promise-of-bad-pointers
# launch: *int32 2
# finds: tl.multiple_of(.., 16) of lanes that start at no multiple of it, which reach an address
@triton.jit
def k(y, n):
    tl.store(tl.multiple_of(y + n + tl.arange(0, 4), 16), 5)

# case: promise-of-a-bad-pointer
# launch: *int32 2
# finds: tl.multiple_of(.., 16) of lanes that start at no multiple of it, which reach an address
@triton.jit
def k(y, n):
    tl.store(tl.multiple_of(y + n, 16), 5)

# case: promise-the-broken-one-is-named
# launch: *int32:10,11,12,13,14,15 *int32 6
# finds: tl.max_constancy(.., 2) of lanes that are not equal, which reach a store
@triton.jit
def k(x, y, n):
    o = tl.arange(0, 8)
    w = tl.max_contiguous(o % n, 8)
    z = tl.max_constancy(o, 2)
    tl.store(y + o, tl.load(x + w) + z, mask=o < n)

# case: promise-columns-of-a-product
# launch: *fp32:0,1,2,3,4,5,6,7,8,9 *fp32 10
# gives: 0 16 32 48 64 80 96 112 128 144
@triton.jit
def k(x, y, n):
    o = tl.arange(0, 16)
    w = tl.max_contiguous(tl.multiple_of(o % n, 16), 16)
    b = tl.load(x + tl.zeros([16, 1], tl.int32) + w[None, :])
    z = tl.dot(tl.full([16, 16], 1.0, tl.float32), b, input_precision="ieee")
    tl.store(y + o[:, None] * n + o[None, :], z, mask=(o[None, :] < n) & (o[:, None] < 1))

# case: promise-a-column-too-many
# launch: *fp32:0,1,2,3,4,5,6,7,8,9 *fp32 10
# finds: tl.max_contiguous(.., 16) of lanes that are not consecutive, which reach a store
@triton.jit
def k(x, y, n):
    o = tl.arange(0, 16)
    w = tl.max_contiguous(tl.multiple_of(o % n, 16), 16)
    b = tl.load(x + tl.zeros([16, 1], tl.int32) + w[None, :])
    z = tl.dot(tl.full([16, 16], 1.0, tl.float32), b, input_precision="ieee")
    tl.store(y + o[:, None] * 16 + o[None, :], z, mask=(o[None, :] < n + 1) & (o[:, None] < 1))

# case: promise-before-other
# launch: *int32:10,11,12,13,14,15 *int32 6
# gives: 10 11 12 13 14 15 0 0
@triton.jit
def k(x, y, n):
    o = tl.arange(0, 8)
    w = tl.max_contiguous(o % n, 8)
    tl.store(y + o, tl.load(x + w, mask=o < n, other=0))
