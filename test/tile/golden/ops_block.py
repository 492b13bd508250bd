# Rows of op.def in ops_block.c: types, shapes, messages.

# case: types
# launch: *fp16 12 40 40
# ok
@triton.jit
def k(x, m, n, s):
    p = tl.make_block_ptr(x, (m, n), (s, 1), (0, 0), (8, 16), (1, 0))
    tl.static_assert(p.dtype.element_ty.element_ty == tl.float16)
    tl.static_assert(p.type.is_ptr())
    tl.static_assert(p.type.element_ty.is_block())
    a = tl.load(p, boundary_check=(0, 1), padding_option="zero")
    tl.static_assert(a.dtype == tl.float16)
    tl.static_assert(a.shape[0] == 8)
    tl.static_assert(a.shape[1] == 16)
    b = tl.load(p, boundary_check=[1], padding_option="nan")
    c = tl.load(p, boundary_check=0)
    p = tl.advance(p, (0, 16))
    p = p.advance([8, n])
    tl.store(p, (a + b).to(p.dtype.element_ty), boundary_check=(0, 1))
    tl.store(p, a, boundary_check=(1, 0))
    one = tl.make_block_ptr(base=x, shape=n, strides=s, offsets=m, block_shape=(64,), order=(0,))
    tl.static_assert(len(tl.load(one).shape) == 1)

# case: numbers-are-no-lists
# launch: *fp16 12 40
# error: 'int' object is not iterable
@triton.jit
def k(x, n, s):
    p = tl.make_block_ptr(x, (n,), 1, (0,), (64,), (0,))

# case: load-is-no-method
# launch: *fp16 12 48
# error: 'tensor' object has no attribute 'load'
@triton.jit
def k(x, m, n):
    p = tl.make_block_ptr(x, (m, n), (n, 1), (0, 0), (8, 16), (1, 0))
    a = p.load()

# case: in-a-loop
# launch: *fp32 40
# ok
@triton.jit
def step(p, n):
    return tl.advance(p, (n,))
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    q = p
    acc = tl.zeros((16,), tl.float32)
    for i in range(0, n, 16):
        acc += tl.load(p, boundary_check=(0,), padding_option="zero")
        if i > 16:
            p = step(p, 16)
        else:
            p = tl.advance(p, (16,))
    while n > 0:
        p, q = q, p
        n -= 1

# case: changes-in-a-loop
# launch: *fp32 40
# error: Loop-carried variable p has initial type pointer<
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    for i in range(n):
        p = tl.make_block_ptr(x, (n,), (1,), (0,), (32,), (0,))

# case: arms-differ
# launch: *fp32 40
# error: Mismatched type for p between then block (pointer<
@triton.jit
def k(x, n):
    if n > 3:
        p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    else:
        p = tl.make_block_ptr(x, (n,), (1,), (0,), (32,), (0,))

# case: no-pointer
# launch: *fp32 40
# error: Expected `base` to be a pointer type (but not a block pointer type or others)
@triton.jit
def k(x, n):
    tl.make_block_ptr(n, (n,), (1,), (0,), (16,), (0,))

# case: block-of-pointers
# launch: *fp32 40
# error: Expected `base` to be a pointer type (but not a block pointer type or others)
@triton.jit
def k(x, n):
    tl.make_block_ptr(x + tl.arange(0, 16), (n,), (1,), (0,), (16,), (0,))

# case: lengths
# launch: *fp32 40
# error: Expected shape/strides/offsets/block_shape to have the same length
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (n, n), (1,), (0, 0), (16, 16), (1, 0))

# case: order
# launch: *fp32 40
# error: Expected a permutation of (0, 1, ..., len(order)-1) in order
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 1))

# case: runtime-block
# launch: *fp32 40
# error: Expected a list of constant integers (`int32_t` range) in `block_shape`
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (n,), (0,))

# case: power-of-two
# launch: *fp32 40
# error: Shape element 0 must be a power of 2
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (24,), (0,))

# case: wide-offset
# launch: *fp32 40
# error: Block pointers only support 32 bit `offsets/block_shape`, add a `.to(tl.int32)` or use regular indexing for 64 bit support
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (n,), (1,), (n.to(tl.int64),), (16,), (0,))

# case: float-shape
# launch: *fp32 40.5
# error: Expected an integer scalar type in shape/strides/offsets
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))

# case: tile-shape
# launch: *fp32 40
# error: Expected a scalar in shape/strides/offsets
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (tl.arange(0, 4),), (1,), (0,), (16,), (0,))

# case: missing-order
# launch: *fp32 40
# error: make_block_ptr() missing 1 required positional argument: 'order'
@triton.jit
def k(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (16,))

# case: load-mask
# launch: *fp32 40
# error: `mask` and `other` arguments cannot be specified for loading block pointers
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, mask=tl.arange(0, 16) < n, other=0.0)

# case: store-mask
# launch: *fp32 40
# error: `mask` and `other` arguments cannot be specified for loading block pointers
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, 0.0, mask=tl.arange(0, 16) < n)

# case: padding
# launch: *fp32 40
# error: Padding option one not supported
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="one")

# case: nan-of-integers
# launch: *i32 40
# error: Padding option `nan` is not supported for integer block pointers
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="nan")

# case: duplicate-check
# launch: *fp32 40
# error: Duplicate dimension in `boundary_check`
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(0, 0))

# case: check-beyond
# launch: *fp32 40
# error: `boundary_check` of a block pointer of 1 dimensions wants 0 to 0, got 1
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=(1,))

# case: store-type
# launch: *bf16 40
# error: Block element type(bf16) and value element type(fp32) mismatch
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, tl.zeros((16,), tl.float32))

# case: store-shape
# launch: *fp32 40
# error: Block shape(['16']) and value shape(['32']) mismatch
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.store(p, tl.zeros((32,), tl.float32))

# case: booleans-are-int8
# launch: *i1 40
# ok
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    a = tl.load(p)
    tl.static_assert(a.dtype == tl.int8)
    tl.store(p, a)

# case: advance-of-a-pointer
# launch: *fp32 40
# error: tl.advance wants a block pointer made by tl.make_block_ptr, got pointer<fp32>
@triton.jit
def k(x, n):
    tl.advance(x, (16,))

# case: descriptor
# launch: *fp16 12 48
# ok
@triton.jit
def k(x, m, n):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[8, 16])
    a = d.load([0, m])
    tl.static_assert(a.dtype == tl.float16)
    tl.static_assert(d.dtype == tl.float16)
    tl.static_assert(d.block_shape[1] == 16)
    tl.static_assert(d.block_type.shape[0] == 8)
    tl.static_assert(d.shape[0].dtype == tl.int32)
    tl.static_assert(d.strides[0].dtype == tl.int64)
    tl.static_assert(isinstance(d, tl.tensor_descriptor))
    d.store([8, 0], a.to(tl.float32))
    b = tl.load_tensor_descriptor(d, [0, 0])
    tl.store_tensor_descriptor(d, [0, 0], b)
    e = tl.make_tensor_descriptor(x, [m, n], [n, 1], [8, 16], padding_option="nan")
    d.atomic_add([0, 0], b)
    for i in range(3):
        d.store([i, 0], e.load([i, 0]))

# case: descriptor-stride
# launch: *fp16 12 48
# error: Tensor descriptor last dim must be 1 but got 2
@triton.jit
def k(x, m, n):
    tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 2], block_shape=[8, 16])

# case: descriptor-runtime-stride
# launch: *fp16 12 48
# error: Did you forget to add @triton.jit
@triton.jit
def k(x, m, n):
    tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, m], block_shape=[8, 16])

# case: descriptor-narrow
# launch: *fp16 12 48
# error: Descriptor block shape must have at least 16 bytes in the last dimension, but got 4 * 2 = 8 bytes
@triton.jit
def k(x, m, n):
    tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[8, 4])

# case: descriptor-ranks
# launch: *fp16 12 48
# error: Expected 2 strides but got 1
@triton.jit
def k(x, m, n):
    tl.make_tensor_descriptor(x, shape=[m, n], strides=[1], block_shape=[8, 16])

# case: descriptor-rank
# launch: *fp16 12 48
# error: Expected 1 <= ndim <= 5 but got 6 dimensions
@triton.jit
def k(x, m, n):
    tl.make_tensor_descriptor(x, [1, 1, 1, 1, m, n], [1, 1, 1, 1, n, 1], [1, 1, 1, 1, 8, 16])

# case: descriptor-nan
# launch: *i32 12 48
# error: Padding option `nan` is not supported for integer blocks
@triton.jit
def k(x, m, n):
    tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[8, 16], padding_option="nan")

# case: descriptor-offsets
# launch: *fp16 12 48
# error: expected 2 offsets, but got 1
@triton.jit
def k(x, m, n):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[8, 16])
    d.load([0])

# case: descriptor-value
# launch: *fp16 12 48
# error: the descriptor's block shape is ['8', '16'], the value's ['16', '8']
@triton.jit
def k(x, m, n):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[8, 16])
    d.store([0, 0], tl.zeros((16, 8), tl.float16))

# case: descriptor-atomic-type
# launch: *fp32 12 48
# error: Unsupported dtype
@triton.jit
def k(x, m, n):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[8, 16])
    d.atomic_max([0, 0], tl.zeros((8, 16), tl.float32))

# case: descriptor-gather
# launch: *fp16 12 48
# unsupported: gathering and scattering rows through a tensor descriptor
@triton.jit
def k(x, m, n):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[1, 32])
    d.gather(tl.arange(0, 8), 0)

# case: load-of-a-descriptor
# launch: *fp16 12 48
# error: in `tl.load`
@triton.jit
def k(x, m, n):
    tl.load(tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[8, 16]))

# case: block-load-cache-modifier
# launch: *fp32 64
# error: Cache modifier .x not supported
@triton.jit
def k(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    v = tl.load(p, cache_modifier=".x")
