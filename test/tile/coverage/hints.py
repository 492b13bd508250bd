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
