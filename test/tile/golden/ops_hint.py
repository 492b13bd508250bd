# Rows of op.def in ops_hint.c: types, shapes, messages.

# case: static-assert-fails
# launch: *fp32 B=8
# error: CompileTimeAssertionFailure('B must be 4')
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(B == 4, "B must be 4")

# case: static-assert-fstring
# launch: *fp32 B=8
# error: B is 8, not 4
@triton.jit
def k(x, B: tl.constexpr):
    tl.static_assert(B == 4, f"B is {B}, not 4")

# case: static-assert-runtime
# launch: *fp32 8
# error: Assertion condition could not be determined at compile-time
@triton.jit
def k(x, n):
    tl.static_assert(n == 4)
