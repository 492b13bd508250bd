BLOCKS = [64, 128, 256]
assert BLOCKS == sorted(BLOCKS), "in order"
SIZES = {}
for _n in range(3):
    if BLOCKS[_n] > 64:
        SIZES[_n] = BLOCKS[_n]
del _n
WARPS = []
for b in BLOCKS:
    WARPS.append(b // 32)


def run(x):
    assert WARPS == [2, 4, 8] and 0 not in SIZES
    return launch(x, SIZES[2])
# --- host_error: AssertionError
BLOCKS = [64, 32]
assert BLOCKS == sorted(BLOCKS)


def run(x):
    return launch(x)
# --- parse_reject: assignment to a subscript
SIZES = {}
for n in range(3):
    SIZES[n] = 256
LAST = n


def run(x):
    return launch(x, SIZES[LAST])
# --- oob: outside
SIZES = {}
for n in range(3):
    SIZES[n] = 256


@triton.jit
def wide(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    wide[(m, triton.cdiv(n, SIZES[0]))](x, y, x.stride(0), n, BLOCK=SIZES[0])
    return y
