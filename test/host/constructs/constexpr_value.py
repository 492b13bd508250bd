import torch
import triton
import triton.language as tl

SIZE = tl.constexpr(256)


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK.value + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, SIZE.value))](x, y, x.stride(0), n, BLOCK=SIZE)
    return y
# --- unsupported: of a constexpr only where the module names it
def run(x):
    return launch(x, (256).value)
# --- compile_fail: power of 2
SIZE: tl.constexpr = tl.constexpr(3)


def run(x):
    return launch(x, SIZE.value)
