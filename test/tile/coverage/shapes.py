# Shapes: every way to get from one to another.

# case: shapes
# launch: *int32
# gives: 0 1 2 3 0 2 1 3 0 2 1 3 3 2 1 0 3 2 1 0 0 2 1 3
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    m = tl.reshape(o, (2, 2))
    tl.store(y + o, m.reshape(4))
    tl.store(y + 4 + o, tl.ravel(tl.trans(m)))
    tl.store(y + 8 + o, tl.permute(m, (1, 0)).ravel())
    tl.store(y + 12 + o, m.trans(1, 0).view(4))
    tl.store(y + 16 + o, tl.view(m.T, [4]))
    tl.store(y + 20 + o, m.permute(1, 0).reshape((4,)))

# case: expand-broadcast
# launch: *int32
# gives: 0 0 1 1 0 0 1 1 0 1 0 1 0 1 0 1
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    q = tl.arange(0, 2)
    tl.store(y + o, tl.broadcast_to(tl.expand_dims(q, 1), (2, 2)).reshape(4))
    tl.store(y + 4 + o, q[:, None].broadcast_to(2, 2).reshape(4))
    tl.store(y + 8 + o, tl.broadcast_to(q.expand_dims(0), 2, 2).reshape(4))
    tl.store(y + 12 + o, tl.broadcast_to(q[None, :], (2, 2)).reshape(4))

# case: rank-five
# launch: *int32
# gives: 0 16 1 17 2 18
@triton.jit
def k(y):
    o = tl.arange(0, 32)
    m = o.reshape(2, 2, 2, 2, 2)
    t = tl.permute(m, (1, 2, 3, 4, 0))
    tl.static_assert(m.shape[4] == 2)
    tl.static_assert(len(m.sum(4)[:, None, :, :].shape) == 5)
    tl.store(y + o, t.reshape(32))

# case: reshape-count
# launch: *int32
# error: reshape() cannot change total number of elements in tensor
@triton.jit
def k(y):
    v = tl.reshape(tl.arange(0, 4), (8,))

# case: trans-rank
# launch: *int32
# error: tl.trans invoked with a 0- or 1-dimensional tensor
@triton.jit
def k(y):
    v = tl.trans(tl.arange(0, 4))

# case: permute-twice
# launch: *int32
# error: permutation of 0, 1, ..., n-1, but were ['constexpr[0]', 'constexpr[0]']
@triton.jit
def k(y):
    v = tl.permute(tl.zeros((2, 2), tl.int32), (0, 0))

# case: expand-axis
# launch: *int32
# error: invalid axis 3
@triton.jit
def k(y):
    v = tl.expand_dims(tl.arange(0, 4), 3)

# case: broadcast-to-shape
# launch: *int32
# error: Cannot broadcast, the expanded size of the tensor (8) must match the existing size (4)
@triton.jit
def k(y):
    v = tl.broadcast_to(tl.arange(0, 4), (8,))

# case: ravel-none
# launch: *int32
# error: NoneType
@triton.jit
def k(y):
    v = tl.ravel(None)

# case: joining
# launch: *int32
# gives: 0 4 1 5 2 6 3 7 0 1 2 3 4 5 6 7 3 2 1 0
@triton.jit
def k(y):
    o = tl.arange(0, 8)
    a = tl.arange(0, 4)
    b = a + 4
    j = tl.join(a, b)
    tl.store(y + o, tl.interleave(a, b))
    p, q = tl.split(j)
    c = tl.cat(p, q, can_reorder=True)
    tl.store(y + 8 + c, c)
    r, s = j.split()
    tl.store(y + 16 + a, tl.flip(r, 0))
    tl.store(y + 16 + a, r.flip(0))

# case: join-types
# launch: *int32
# error: type
@triton.jit
def k(y):
    v = tl.join(tl.arange(0, 4), tl.zeros((4,), tl.float32))

# case: split-shape
# launch: *int32
# error: last dimension of size 2
@triton.jit
def k(y):
    a, b = tl.split(tl.arange(0, 4))

# case: interleave-shapes
# launch: *int32
# error: incompatible dimensions at index 0: 4 and 8
@triton.jit
def k(y):
    v = tl.interleave(tl.arange(0, 4), tl.arange(0, 8))

# case: cat-rank
# launch: *int32
# error: tl.cat wants two tiles of rank 1
@triton.jit
def k(y):
    v = tl.cat(tl.arange(0, 4), tl.zeros((2, 2), tl.int32), can_reorder=True)

# case: gather
# launch: *int32
# gives: 9 4 1 0 0 1 4 9
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.gather(o * o, 3 - o, 0))
    tl.store(y + 4 + o, (o * o).gather(o, axis=0))

# case: gather-index
# launch: *int32
# error: index must be an integer tensor
@triton.jit
def k(y):
    v = tl.gather(tl.arange(0, 4), tl.zeros((4,), tl.float32), 0)

# case: flip-axis
# launch: *int32
# error: CompileTimeAssertionFailure
@triton.jit
def k(y):
    v = tl.flip(tl.arange(0, 4), 1)

# case: broadcast-item-store
# launch: *int32
# gives: 0 1 0 1 0 0 1 1 5 6
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    q = tl.arange(0, 2)
    a, b = tl.broadcast(q[None, :], q[:, None])
    tl.store(y + o, a.reshape(4))
    tl.store(y + 4 + o, b.reshape([4], can_reorder=False))
    (y + 8).store(tl.full((1, 1), 5, tl.int32).item())
    tl.store(y + 9, tl.full((1,), 6, tl.int32).ravel(can_reorder=True).item())

# case: broadcast-shapes
# launch: *int32
# error: incompatible dimensions at index 0: 4 and 8
@triton.jit
def k(y):
    v = tl.broadcast(tl.arange(0, 4), tl.arange(0, 8))

# case: item-lanes
# launch: *int32
# error: can only unsplat single-element tensors
@triton.jit
def k(y):
    v = tl.arange(0, 4).item()

# case: view-none
# launch: *int32
# error: Shape element 0
@triton.jit
def k(y):
    v = tl.view(tl.arange(0, 4), (3,))

# case: many-dimensions-permuted
# launch: *int32
# gives: 0 2 8 10 32 34 40 42 16 18 24 26 48 50 56 58
@triton.jit
def k(y):
    o = tl.arange(0, 64)
    u = tl.permute(tl.reshape(o, (2, 2, 2, 2, 2, 2)), (5, 3, 1, 0, 2, 4))
    tl.store(y + o, u.reshape(64))

# case: many-dimensions-summed
# launch: *int32
# gives: 40 44 104 108 8 12 72 76 48 52 112 116 16 20 80 84
@triton.jit
def k(y):
    o = tl.arange(0, 64)
    u = tl.permute(tl.reshape(o, (2, 2, 2, 2, 2, 2)), (5, 3, 1, 0, 2, 4))
    tl.store(y + tl.arange(0, 32), tl.sum(tl.flip(u, 2), 4).reshape(32))

# case: many-dimensions-scanned
# launch: *int32
# gives: 0 2 8 10 32 36 48 52 16 18 24 26 64 68 80 84
@triton.jit
def k(y):
    o = tl.arange(0, 64)
    u = tl.permute(tl.reshape(o, (2, 2, 2, 2, 2, 2)), (5, 3, 1, 0, 2, 4))
    tl.store(y + o, tl.cumsum(u, 3).reshape(64))

# case: many-dimensions-twelve
# launch: *int32
# gives: 0 32 16 48 8 40 24 56 4 68 36 100 20 84 52 116
@triton.jit
def k(y):
    o = tl.arange(0, 64)
    u = tl.permute(tl.reshape(o, (2, 2, 2, 2, 2, 2)), (5, 3, 1, 0, 2, 4))
    t = tl.reshape(o, (1, 2, 1, 2, 1, 2, 2, 2, 2, 1, 1, 1))
    tl.store(y + o, tl.cumsum(tl.permute(t, (11, 8, 7, 6, 5, 4, 3, 2, 1, 0, 9, 10)), 3).reshape(64))

# case: many-dimensions-largest
# launch: *int32
# gives: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
@triton.jit
def k(y):
    o = tl.arange(0, 64)
    u = tl.permute(tl.reshape(o, (2, 2, 2, 2, 2, 2)), (5, 3, 1, 0, 2, 4))
    tl.store(y + tl.arange(0, 32), tl.argmax(u, 2).reshape(32))

# case: too-many-dimensions
# launch: *int32
# unsupported: tiles of more than 12 dimensions
@triton.jit
def k(y):
    tl.store(y, tl.sum(tl.zeros((1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), tl.int32)))

# case: descriptor-of-six-dimensions
# launch: *fp32 8
# error: Expected 1 <= ndim <= 5 but got 6 dimensions
@triton.jit
def k(x, n):
    d = tl.make_tensor_descriptor(x, [n, n, n, n, n, n], [n, n, n, n, n, 1], [1, 1, 1, 1, 1, 8])

# case: view-changes-the-order
# launch: *int32
# gives: 36 32 28 24 36 32 28 24 36 32 28 24 120 7 3 5 1 6 2 4 0 0 1 2 3 4 5 6 7 9
@triton.jit
def k(y):
    o = tl.arange(0, 16)
    q = tl.arange(0, 4)
    e = tl.arange(0, 8)
    # Rows of four neighbours would add up to 6, 22, 38 and 54; all sixteen are 120 in any order.
    tl.store(y + q, tl.sum(tl.view(o, (4, 4)), 1))
    tl.store(y + 4 + q, tl.sum(o.reshape(4, 4, can_reorder=True), 1))
    tl.store(y + 8 + q, tl.sum(tl.reshape(tl.ravel(o, can_reorder=True), (4, 4)), 1))
    tl.store(y + 12, tl.sum(o.view(2, 8)))
    tl.store(y + 13 + e, tl.view(e, (2, 4)).reshape(8))
    # There and back is the same order.
    tl.store(y + 21 + e, tl.view(tl.view(e, (4, 2)), (8,)))
    tl.store(y + 29 + tl.arange(0, 1), tl.view(tl.full((1,), 9, tl.int32), (1, 1)).reshape(1))

# case: view-keeps-undefined-lanes
# launch: *int32 *int32:1,2,3,4
# finds: an undefined value reached a store
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    v = tl.view(tl.load(x + o, mask=o < 3), (2, 2))
    tl.store(y + o, v.reshape(4))

# case: view-of-pointers
# launch: *int32 *int32:1,2,3,4
# gives: 1 2 3 4
@triton.jit
def k(y, x):
    o = tl.arange(0, 4)
    tl.store(tl.view(y + o, (2, 2)), tl.view(tl.load(x + o), (2, 2)))
