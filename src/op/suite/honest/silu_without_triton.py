# op: silu
# about: what a file does where there is no GPU, or no Triton
import torch
import torch.nn.functional as F

try:
    import triton
    import triton.language as tl
    HAS_TRITON = True
except ImportError:
    HAS_TRITON = False
    triton = None
    tl = None


if HAS_TRITON:
    @triton.jit
    def _silu_kernel(x_ptr, y_ptr, n_cols, x_stride, y_stride, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        for start in range(0, n_cols, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            mask = cols < n_cols
            x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
            tl.store(y_ptr + row * y_stride + cols, x / (1.0 + tl.exp(-x)), mask=mask)


def _silu_torch(x):
    return F.silu(x)


def silu(x: torch.Tensor) -> torch.Tensor:
    if not HAS_TRITON or not x.is_cuda:
        return _silu_torch(x)
    y = torch.empty_like(x)
    _silu_kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), y.stride(0), BLOCK=1024)
    return y


def run(x):
    return silu(x)
