# What the loads of a loop need of shared memory.

# case: three-stages-are-the-default
# launch: *fp32 640
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: four-stages-of-tf32
# launch: *fp32 640 num_stages=4
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: two-warps-do-without-wgmma
# launch: *fp32 640 num_stages=4 num_warps=2
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: two-warps-and-five-stages
# launch: *fp32 640 num_stages=5 num_warps=2
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: four-stages-of-ieee
# launch: *fp32 640 num_stages=4
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc, input_precision='ieee')
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: five-stages-of-ieee
# launch: *fp32 640 num_stages=5
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc, input_precision='ieee')
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: stages-of-the-loop
# launch: *fp32 640
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in tl.range(0, K, 64, num_stages=4):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: the-loop-says-one
# launch: *fp32 640 num_stages=4
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in tl.range(0, K, 64, num_stages=1):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: other-hints-are-not-known
# launch: *fp32 640 num_stages=4
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in tl.range(0, K, 64, loop_unroll_factor=2):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: masked-and-computed
# launch: *fp32 640 num_stages=5
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        left = tl.where(inner[None, :] < K - i, tl.load(a, mask=inner[None, :] < K - i, other=1.0), 0.0) * 2.0
        acc += tl.dot(left, tl.load(b), input_precision='ieee')
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: one-operand-stays
# launch: *fp32 640 num_stages=9
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc, input_precision='ieee')
        a += 64
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: one-operand-stays-and-eight
# launch: *fp32 640 num_stages=8
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc, input_precision='ieee')
        a += 64
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: loaded-twice-is-once
# launch: *fp32 640 num_stages=4
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc, input_precision='ieee')
        acc += tl.dot(tl.load(a), tl.load(b), input_precision='ieee')
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: three-tiles
# launch: *fp32 640 num_stages=4
# error: out of resource: shared memory, Required: 294912, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc, input_precision='ieee')
        acc += tl.dot(tl.load(a + K), tl.load(b), input_precision='ieee')
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: nothing-moves
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        acc += i
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: a-barrier
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        tl.debug_barrier()
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: a-print-is-none
# launch: *fp32 640 num_stages=4
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        tl.device_print('i', i)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: a-store-is-none
# launch: *fp32 640 num_stages=4
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        tl.store(x + i, 1.0)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: one-waits-for-another
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        a += tl.load(x + i).to(tl.int32)
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: one-iteration
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, 64, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: two-iterations
# launch: *fp32 640 num_stages=4
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, 128, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: under-a-condition
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        if i < 100:
            acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: condition-beside
# launch: *fp32 640 num_stages=4
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        if i > 100:
            tl.store(x + i, 1.0)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: while
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    i = 0
    while i < K:
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        i += 64
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: around-another-loop
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        for j in range(0, i):
            acc += j
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: inside-another-loop
# launch: *fp32 640 num_stages=4
# error: out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for j in range(0, K):
        for i in range(0, K, 64):
            acc = tl.dot(tl.load(a), tl.load(b), acc)
            a += 64
            b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: unrolled
# launch: *fp32 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in tl.static_range(0, 640, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: narrow-elements-may-not-be-aligned
# launch: *fp16 640 num_stages=9
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: clusters-share
# launch: *fp32 640 num_stages=4 num_ctas=2
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)

# case: summed-too-needs-registers-and-loads-once
# launch: *fp32 640 num_stages=4
# ok
@triton.jit
def k(x, K):
    rows, inner = tl.arange(0, 128), tl.arange(0, 64)
    a = x + rows[:, None] * K + inner[None, :]
    b = x + inner[:, None] * 128 + rows[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        acc += tl.sum(tl.load(a))
        a += 64
        b += 64 * 128
    tl.store(x + rows[:, None] * 128 + rows[None, :], acc)
