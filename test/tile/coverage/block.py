# Block pointers, tensor descriptors, pointers made from integers.

# case: block-pointer
# launch: *i32:1,2,3,4,5,6 *i32
# gives: 4 5 0 0
@triton.jit
def k(x, y):
    p = tl.make_block_ptr(x, (2, 3), (3, 1), (0, 0), (2, 4), (1, 0))
    p = tl.advance(p, (1, 0)).advance((0, 0))
    row = tl.sum(tl.load(p, boundary_check=(0, 1), padding_option="zero"), 0)
    q = tl.make_block_ptr(y, (4,), (1,), (0,), (4,), (0,))
    tl.store(q, tl.where(tl.arange(0, 4) < 2, row, 0), boundary_check=(0,))

# case: block-pointer-lengths
# launch: *i32
# error: Expected shape/strides/offsets/block_shape to have the same length
@triton.jit
def k(y):
    v = tl.make_block_ptr(y, (4, 4), (1,), (0,), (4,), (0,))

# case: advance-of-a-pointer
# launch: *i32
# error: tl.advance wants a block pointer
@triton.jit
def k(y):
    v = tl.advance(y, (4,))

# case: descriptor
# launch: *i32:1,2,3,4,5,6,7,8 *i32
# gives: 5 6 7 8 0 0 0 0 1 2 3 4 5 6 7 8
@triton.jit
def k(x, y):
    d = tl.make_tensor_descriptor(x, [2, 4], [4, 1], [2, 4])
    e = tl.make_tensor_descriptor(y, shape=[4, 4], strides=[4, 1], block_shape=[2, 4])
    e.store([0, 0], d.load([1, 0]))
    tl.store_tensor_descriptor(e, [2, 0], tl.load_tensor_descriptor(d, [0, 0]))

# case: descriptor-atomics
# launch: *i32
# gives: 7 5 1 8 13 5
@triton.jit
def k(y):
    i = tl.arange(0, 8)
    tl.store(y + 4 * i, 5)
    tl.store(y + i, 5)
    tl.debug_barrier()
    e = tl.make_tensor_descriptor(y, [8], [1], [4])
    two = tl.where(tl.arange(0, 4) == 0, 2, 0)
    e.atomic_add([0], two)
    e.atomic_max([3], tl.where(tl.arange(0, 4) == 0, 8, -100))
    e.atomic_min([2], tl.where(tl.arange(0, 4) == 0, 1, 100))
    e.atomic_or([4], tl.where(tl.arange(0, 4) == 0, 8, 0))
    e.atomic_and([5], tl.full((4,), 13, tl.int32))
    e.atomic_xor([6], tl.zeros((4,), tl.int32))

# case: descriptor-narrow
# launch: *i32
# error: must have at least 16 bytes in the last dimension
@triton.jit
def k(y):
    v = tl.make_tensor_descriptor(y, [4], [1], [2])

# case: descriptor-offsets
# launch: *i32
# error: expected 1 offsets, but got 2
@triton.jit
def k(y):
    v = tl.load_tensor_descriptor(tl.make_tensor_descriptor(y, [4], [1], [4]), [0, 0])

# case: descriptor-load-of-a-pointer
# launch: *i32
# error: load_tensor_descriptor wants a tensor descriptor
@triton.jit
def k(y):
    v = tl.load_tensor_descriptor(y, [0])

# case: descriptor-store-of-a-number
# launch: *i32
# error: 'constexpr' object has no attribute 'shape'
@triton.jit
def k(y):
    tl.store_tensor_descriptor(tl.make_tensor_descriptor(y, [4], [1], [4]), [0], 3)

# case: descriptor-atomic-type
# launch: *i64
# error: Unsupported dtype
@triton.jit
def k(y):
    e = tl.make_tensor_descriptor(y, [4], [1], [4])
    e.atomic_add([0], tl.zeros((4,), tl.int64))

# case: pointer-type
# launch: *i32
# gives: 1 1065353216
@triton.jit
def k(y):
    a = (y.to(tl.int64) + 4).to(tl.pointer_type(tl.float32))
    tl.store(y, 1)
    tl.store(a, 1.0)
