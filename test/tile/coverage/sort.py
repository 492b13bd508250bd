# Sorting networks and histograms.

# case: sort
# launch: *int32 *int32:5,3,9,1,7,7,-2,0
# gives: -2 0 1 3 5 7 7 9 9 7 7 5 3 1 0 -2 1 3 5 9 -2 0 7 7
@triton.jit
def k(y, x):
    o = tl.arange(0, 8)
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(y + 8 + o, tl.sort(v, dim=0, descending=True))
    tl.store(y + 16 + o, tl.sort(v.reshape(2, 4)).reshape(8))

# case: sort-types
# launch: *fp32 *fp32:2.5,-1,0.5,inf
# gives: -1 0.5 2.5 inf -1 0.5 2.5 inf 0 0 1 1 -1 0.5 2.5 inf
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(y + 4 + o, tl.sort(v.to(tl.float16)))
    tl.store(y + 8 + o, tl.sort(v > 1).to(tl.int32))
    tl.store(y + 12 + o, tl.sort(v.to(tl.float64)))

# case: sort-one
# launch: *int32
# gives: 4
@triton.jit
def k(y):
    o = tl.arange(0, 1)
    tl.store(y + o, tl.sort(o + 4))

# case: sort-nan
# launch: *fp32 *fp32:1,nan
# gives: 1 1 nan nan
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.sort(v))
    tl.store(y + 2 + o, tl.sort(tl.flip(v, 0)))

# case: sort-undefined
# launch: *fp32 *fp32:1,2,3,4
# finds: undefined value
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o, mask=o < 3)
    tl.store(y + o, tl.sort(v))

# case: topk
# launch: *int32 *int32:5,3,9,1,7,7,-2,0
# gives: 9 7 9 5 7 7 9 7 7 5
@triton.jit
def k(y, x):
    o = tl.arange(0, 8)
    q = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + q, tl.topk(v, 2))
    tl.store(y + 2 + tl.arange(0, 4), tl.topk(v.reshape(2, 4), 2, dim=1).reshape(4))
    tl.store(y + 6 + tl.arange(0, 4), tl.topk(v, k=4))
    h = tl.topk(v.to(tl.float16), 4)
    tl.static_assert(h.dtype == tl.float32)
    h = tl.topk(v.to(tl.float16), 8)
    tl.static_assert(h.dtype == tl.float16)

# case: bitonic-merge
# launch: *int32 *int32:1,3,5,8,7,4,2,0
# gives: 0 1 2 3 4 5 7 8 8 7 5 4 3 2 1 0
@triton.jit
def k(y, x):
    o = tl.arange(0, 8)
    v = tl.load(x + o)
    tl.store(y + o, tl.bitonic_merge(v))
    tl.store(y + 8 + o, tl.bitonic_merge(v, 0, descending=True))

# case: sort-dim
# launch: *int32
# error: only minor dimension is currently supported
@triton.jit
def k(y):
    v = tl.sort(tl.zeros((4, 4), tl.int32), dim=0)

# case: topk-dim
# launch: *int32
# error: only minor dimension is currently supported
@triton.jit
def k(y):
    v = tl.topk(tl.zeros((4, 4), tl.int32), 2, dim=-1)

# case: bitonic-merge-scalar
# launch: *int32
# error: IndexError
@triton.jit
def k(y):
    v = tl.bitonic_merge(tl.load(y))

# case: sort-method-gives-none
# launch: *int32
# error: cannot convert None of type <class 'NoneType'> to tensor
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    tl.store(y + o, o.sort())

# case: sort-method
# launch: *int32
# gives: 1
@triton.jit
def k(y):
    v = tl.arange(0, 4).sort()
    tl.static_assert(v is None)
    tl.store(y, 1)

# case: histogram
# launch: *int32 *int32:1,3,3,0,3,1,2,3
# gives: 1 2 1 4 1 1 0 2 1 2 1 4
@triton.jit
def k(y, x):
    o = tl.arange(0, 8)
    q = tl.arange(0, 4)
    v = tl.load(x + o)
    tl.store(y + q, tl.histogram(v, 4))
    tl.store(y + 4 + q, tl.histogram(v, num_bins=4, mask=o < 4))
    tl.store(y + 8 + q, v.to(tl.int16).histogram(4))

# case: histogram-masked-load
# launch: *int32 *int32:1,3,3
# gives: 0 1 0 2
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o, mask=o < 3)
    tl.store(y + o, tl.histogram(v, 4, mask=o < 3))

# case: histogram-undefined
# launch: *int32 *int32:1,3,3
# finds: an undefined value reached tl.histogram
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.load(x + o, mask=o < 3)
    tl.store(y + o, tl.histogram(v, 4))

# case: histogram-outside
# launch: *int32
# finds: tl.histogram counts 4, but has bins for 0 to 3 only
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.histogram(o + 1, 4))

# case: histogram-float
# launch: *int32
# error: histogram only supports integer input
@triton.jit
def k(y):
    v = tl.histogram(tl.zeros((8,), tl.float32), 4)

# case: histogram-rank
# launch: *int32
# error: histogram only supports 1D input
@triton.jit
def k(y):
    v = tl.histogram(tl.zeros((8, 2), tl.int32), 4)

# case: histogram-bins
# launch: *int32
# error: Shape element 0 must be a power of 2
@triton.jit
def k(y):
    v = tl.histogram(tl.arange(0, 8), 3)

# case: topk-of-many
# launch: *int32 *int32:5,3,9,1,7,7,-2,0,8,4,12,-5,6,11,2,10,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
# gives: 12 11 10 9 16 15 14 13 12 11 16 15 16 15 14 13 12 12 11 11
@triton.jit
def k(y, x):
    v = tl.load(x + tl.arange(0, 32)).reshape(2, 16)
    tl.store(y + tl.arange(0, 8), tl.topk(v, 4).reshape(8))
    tl.store(y + 8 + tl.arange(0, 4), tl.topk(v, 2).reshape(4))
    tl.store(y + 12 + tl.arange(0, 8), tl.topk(tl.load(x + 31 - tl.arange(0, 32)).reshape(1, 1, 32), 8).reshape(8))

# case: topk-one-of-many
# launch: *int32 *int32:5,3,9,1,7,7,-2,0,8,4,12,-5,6,11,2,10
# gives: 12 12 9 9 7 12 11
@triton.jit
def k(y, x):
    v = tl.load(x + tl.arange(0, 16))
    tl.store(y, tl.max(v, 0))
    tl.store(y + 1 + tl.arange(0, 2), tl.flip(tl.topk(v.reshape(2, 8), 1).reshape(2), 0))
    tl.store(y + 3 + tl.arange(0, 4), tl.topk(v.reshape(4, 4), 1).reshape(4))

# case: topk-that-leaves-a-scalar
# launch: *fp32
# error: AttributeError("'dtype' object has no attribute 'numel'")
@triton.jit
def k(x):
    tl.store(x + tl.arange(0, 1), tl.topk(tl.load(x + tl.arange(0, 16)), 1))
