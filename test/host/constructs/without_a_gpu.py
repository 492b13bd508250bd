import torch
import torch.nn.functional as F

try:
    import triton
    import triton.language as tl
    HAS_TRITON = True
except ImportError:
    HAS_TRITON = False

if HAS_TRITON:
    @triton.jit
    def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
        tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def plain(x):
    return F.relu(x).square()


def run(x):
    if not HAS_TRITON or not x.is_cuda:
        return plain(x)
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- parse_reject: computes on
def run(x):
    if x.is_cuda and x.shape[1] > 4:
        return torch.relu(x)
    return launch(x)
# --- parse_reject: computes on
def run(x):
    t = torch.empty(1)
    if not t.is_cuda:
        return torch.relu(x)
    return launch(x)
