def make_runner(block, *, scale=1):
    """A launcher for blocks of so many columns."""
    sizes = (block * scale, 64)

    def runner(x):
        return launch(x, max(sizes))

    return runner


small = make_runner(128)
RUNNERS = {"small": small, "large": make_runner(128, scale=4)}


def run(x):
    return RUNNERS["small" if x.shape[1] < 300 else "large"](x)
# --- ok: Accepted
def make(block):
    def runner(x):
        return launch(x, block)

    return runner


run = make(256)
# --- incorrect: Values are wrong
@triton.jit
def half(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, 0.5 * x * x, mask=cols < n)


def make(kernel):
    def runner(x):
        m, n = x.shape
        y = torch.empty((m, n), dtype=x.dtype, device=x.device)
        kernel[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
        return y

    return runner


run = make(half)
# --- parse_reject: the module holds this value
def make():
    seen = {}

    def runner(x):
        seen[x.shape[1]] = 256
        return launch(x, seen[x.shape[1]])

    return runner


run = make()
# --- parse_reject: keep state
def make():
    kept = torch.empty((1 << 16,), dtype=torch.float32, device="cuda")

    def runner(x):
        return launch(x, 256 if kept.numel() > 4 else 128)

    return runner


go = make()


def run(x):
    return go(x)
