# Rows of op.def in ops_reduce.c: types, shapes, messages.

# case: softmax-keyword
# launch: *fp32
# error: softmax() got an unexpected keyword argument 'axis'
@triton.jit
def k(x):
    v = tl.softmax(tl.load(x + tl.arange(0, 4)), axis=0)

# case: sum-keepdim
# launch: *fp32
# error: sum() got an unexpected keyword argument 'keepdim'
@triton.jit
def k(x):
    v = tl.sum(tl.load(x + tl.arange(0, 4)), axis=0, keepdim=True)

# case: reductions
# launch: *fp16 *bf16 *int8 *fp32 *uint8
# ok
@triton.jit
def k(h, b, c, f, u):
    o = tl.arange(0, 8)
    h = tl.load(h + o); b = tl.load(b + o); c = tl.load(c + o); f = tl.load(f + o); u = tl.load(u + o)
    tl.static_assert(tl.sum(h).dtype == tl.float16)
    tl.static_assert(tl.sum(b).dtype == tl.bfloat16)
    tl.static_assert(tl.sum(c).dtype == tl.int32)
    tl.static_assert(tl.sum(u).dtype == tl.uint32)
    tl.static_assert(tl.sum(h, dtype=tl.float32).dtype == tl.float32)
    tl.static_assert(tl.max(h).dtype == tl.float32)
    tl.static_assert(tl.max(b).dtype == tl.float32)
    tl.static_assert(tl.min(c).dtype == tl.int32)
    tl.static_assert(tl.max(u).dtype == tl.int32)
    v, i = tl.max(h, axis=0, return_indices=True)
    tl.static_assert(v.dtype == tl.float16)
    tl.static_assert(i.dtype == tl.int32)
    w, j = tl.max(b, axis=0, return_indices=True)
    tl.static_assert(w.dtype == tl.float32)
    tl.static_assert(tl.argmax(f, 0).dtype == tl.int32)
    tl.static_assert(tl.cumsum(b).dtype == tl.float32)
    tl.static_assert(tl.cumsum(h).dtype == tl.float16)
    tl.static_assert(tl.cumsum(c).dtype == tl.int32)
    tl.static_assert(tl.softmax(h).dtype == tl.float32)
    tl.static_assert(h.sum().dtype == tl.float16)

# case: reduced-shapes
# launch: *fp32
# ok
@triton.jit
def k(x):
    t = tl.zeros((4, 8), tl.float32)
    tl.static_assert(tl.sum(t, axis=1).shape[0] == 4)
    tl.static_assert(tl.sum(t, axis=-2).shape[0] == 8)
    tl.static_assert(len(tl.sum(t).shape) == 0)
    tl.static_assert(tl.max(t, 1, keep_dims=True).shape[1] == 1)
    tl.static_assert(len(tl.sum(t, keep_dims=True).shape) == 2)
    tl.static_assert(len(tl.max(tl.zeros((8,), tl.float32)).shape) == 0)
    tl.static_assert((t - tl.max(t, 1)[:, None]).shape[1] == 8)
    tl.static_assert(t.T.shape[0] == 8)
    tl.static_assert(tl.trans(t, 1, 0).shape[0] == 8)
    tl.static_assert(tl.reshape(t, 2, 16).shape[1] == 16)
    tl.static_assert(t.reshape((32,)).shape[0] == 32)
    tl.static_assert(tl.ravel(t).shape[0] == 32)
    tl.static_assert(tl.expand_dims(t, 0).shape[0] == 1)
    tl.static_assert(tl.expand_dims(t, (0, -1)).shape[3] == 1)
    tl.static_assert(t[None, :, :].shape[0] == 1)
    tl.static_assert(tl.arange(0, 8)[None, :].shape[1] == 8)
    tl.static_assert((t + tl.arange(0, 8)).shape[0] == 4)
    tl.static_assert(t.numel == 32)

# case: axis
# launch: *fp32
# error: invalid axis 1. Expected -1 <= axis < 1
@triton.jit
def k(x):
    v = tl.sum(tl.load(x + tl.arange(0, 4)), axis=1)
