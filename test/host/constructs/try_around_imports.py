import torch
import triton
import triton.language as tl

try:
    import apex
    HAS_APEX = True
except ImportError:
    HAS_APEX = False
try:
    from triton.language.extra.libdevice import rsqrt
except ModuleNotFoundError:
    from triton.language.extra.cuda.libdevice import rsqrt
BLOCK_SIZE = 512 if HAS_APEX else 256


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, BLOCK_SIZE))](x, y, x.stride(0), n, BLOCK=BLOCK_SIZE)
    return y
# --- parse_reject: .relu
try:
    import apex
    HAS_APEX = True
except ImportError:
    HAS_APEX = False


def run(x):
    return apex.relu(x) if HAS_APEX else launch(x)
