import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def half(n):
    return n // 2


KERNELS = {"relu2": relu2, "other": (relu2,)}
STEPS = [half, half]


def run(x):
    m, n = x.shape
    block = STEPS[0](STEPS[1](1024))
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    KERNELS["other"][0][(m, triton.cdiv(n, block))](x, y, x.stride(0), n, BLOCK=block)
    KERNELS["relu2"][(m, triton.cdiv(n, block))](x, y, x.stride(0), n, BLOCK=block)
    return y
# --- parse_reject: assignment to a subscript
TABLE = {"size": launch}


def run(x):
    TABLE["size"] = 3
    return launch(x)
# --- parse_reject: the module holds this value
def maker():
    seen = []

    def keep(n):
        seen.append(n)
        return 256 if len(seen) == 1 else 3

    return keep


TABLE = {"size": maker()}


def run(x):
    return launch(x, TABLE["size"](1))
