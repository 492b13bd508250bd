# Matrix products.

# case: dot
# launch: *fp32
# gives: 16 16 17 32 8
@triton.jit
def k(y):
    a = tl.full((16, 16), 1.0, tl.float16)
    c = tl.full((16, 16), 1.0, tl.float32)
    tl.store(y, tl.max(tl.max(tl.dot(a, a), 1), 0))
    tl.store(y + 1, tl.max(tl.max(tl.dot(a, a, out_dtype=tl.float32), 1), 0))
    tl.store(y + 2, tl.max(tl.max(tl.dot(a, a, acc=c), 1), 0))
    b = tl.full((2, 16, 16), 1.0, tl.float32)
    s = tl.dot(b, b, input_precision="ieee")
    tl.store(y + 3, tl.sum(tl.sum(tl.sum(s, 2), 1), 0) / 256)
    i = tl.full((32, 32), 1, tl.int8)
    tl.store(y + 4, tl.max(tl.max(tl.dot(i, i), 1), 0) / 4)

# case: dot-types
# launch: *fp32
# error: Both operands must be same dtype. Got fp32 and fp16
@triton.jit
def k(y):
    v = tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float16))

# case: dot-shapes
# launch: *fp32
# error: are not compatible for matmul
@triton.jit
def k(y):
    v = tl.dot(tl.zeros((16, 32), tl.float32), tl.zeros((16, 16), tl.float32))
