# Rows of op.def in ops_sort.c: types, shapes, messages.

# case: types
# launch: *fp16
# ok
@triton.jit
def k(x):
    v = tl.load(x + tl.arange(0, 8))
    tl.static_assert(tl.sort(v).dtype == tl.float16)
    tl.static_assert(tl.sort(v).shape == [8])
    tl.static_assert(tl.topk(v, 4).shape == [4])
    tl.static_assert(tl.histogram(tl.arange(0, 8), 16).dtype == tl.int32)
    tl.static_assert(tl.histogram(tl.arange(0, 8), 16).shape == [16])

# case: of-a-number
# launch: *fp32
# error: object has no attribute 'shape'
@triton.jit
def k(x):
    v = tl.sort(3.0)

# case: histogram-of-floats
# launch: *fp32
# error: integer
@triton.jit
def k(x):
    v = tl.histogram(tl.load(x + tl.arange(0, 8)), 4)
