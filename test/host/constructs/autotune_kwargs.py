import torch
import triton
import triton.language as tl

autotune_kwargs = {}


@triton.autotune(configs=[triton.Config({"BLOCK": 128})], key=["n"], **autotune_kwargs)
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
# --- parse_reject: holds this value
seen = {}


def run(x):
    held = seen
    held.update({x.shape: 1})
    return launch(x)
