import torch
import triton
import triton.language as tl

WARPS = [4]


def get_configs(blocks):
    configs = []
    for b in blocks:
        for w in WARPS:
            configs.append(triton.Config({"BLOCK": b}, num_warps=w))
    return configs


CONFIGS = get_configs([64, 256])
SMALL = [c for c in CONFIGS if c.kwargs["BLOCK"] <= 256]


@triton.autotune(configs=SMALL, key=["n"])
@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[lambda meta: (m, triton.cdiv(n, meta["BLOCK"]))](x, y, x.stride(0), n)
    return y
# --- parse_reject: module level
def make():
    return torch.empty(8, device="cuda")


BUFFER = make()


def run(x):
    return launch(x)
