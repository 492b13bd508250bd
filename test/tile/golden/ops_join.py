# Rows of op.def in ops_join.c: types, shapes, messages.

# case: join
# launch: *fp32
# ok
@triton.jit
def k(x):
    a = tl.arange(0, 8)
    j = tl.join(a, a + 1)
    tl.static_assert(j.shape[1] == 2)
    p, q = tl.split(j)
    tl.static_assert(q.shape[0] == 8)
    p, q = j.split()
    i = tl.interleave(a, a)
    tl.static_assert(i.shape[0] == 16)
    s, t = tl.join(tl.sum(a, 0), tl.max(a, 0)).split()
    tl.static_assert(len(s.shape) == 0)
    c = tl.cat(a, a, can_reorder=True)
    tl.static_assert(c.shape[0] == 16)
    f = tl.flip(j, -1)
    f = tl.flip(a, 0)
    f = a.flip(0)
    g = tl.gather(j, tl.zeros((4, 2), tl.int32), 0)
    tl.static_assert(g.shape[0] == 4)
    m = tl.join(tl.arange(0, 4)[:, None], tl.arange(0, 2)[None, :])
    tl.static_assert(m.shape[0] == 4)
    tl.static_assert(m.shape[2] == 2)

# case: split-shape
# launch: *fp32
# error: last dimension of size 2
@triton.jit
def k(x):
    a, b = tl.split(tl.arange(0, 4))

# case: join-types
# launch: *fp32
# error: wants two tiles of one type, got <['4'], int32> and <['4'], fp32>
@triton.jit
def k(x):
    a = tl.arange(0, 4)
    j = tl.join(a, a.to(tl.float32))

# case: join-of-a-number
# launch: *fp32
# error: 'constexpr_type' object has no attribute 'is_block'
@triton.jit
def k(x):
    a = tl.join(tl.arange(0, 4), 1)

# case: cat-keeps-no-order
# launch: *fp32
# error: current implementation of `cat` always may reorder elements
@triton.jit
def k(x):
    a = tl.cat(tl.arange(0, 4), tl.arange(0, 4))

# case: cat-has-no-dim
# launch: *fp32
# error: cat() got an unexpected keyword argument 'dim'
@triton.jit
def k(x):
    a = tl.cat(tl.arange(0, 4), tl.arange(0, 4), can_reorder=True, dim=0)

# case: cat-of-rank-2
# launch: *fp32
# error: tl.cat wants two tiles of rank 1
@triton.jit
def k(x):
    a = tl.cat(tl.zeros((2, 2), tl.int32), tl.zeros((2, 2), tl.int32), can_reorder=True)

# case: flip-axis
# launch: *fp32
# error: CompileTimeAssertionFailure
@triton.jit
def k(x):
    a = tl.flip(tl.arange(0, 4), 1)

# case: gather-index
# launch: *fp32
# error: index must be an integer tensor
@triton.jit
def k(x):
    a = tl.gather(tl.arange(0, 4), tl.zeros((4,), tl.float32), 0)

# case: gather-rank
# launch: *fp32
# error: source and index tensors must have the same rank
@triton.jit
def k(x):
    a = tl.gather(tl.zeros((4, 4), tl.float32), tl.arange(0, 4), 0)

# case: gather-dims
# launch: *fp32
# error: index dim 0 must match the corresponding source dim
@triton.jit
def k(x):
    a = tl.gather(tl.zeros((4, 4), tl.float32), tl.zeros((4, 2), tl.int32), 0)
