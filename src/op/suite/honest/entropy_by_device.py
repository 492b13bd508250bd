# op: entropy
# about: sizes and functions by what the device can do
import warnings
import torch
import triton
import triton.language as tl

try:
    import triton.experimental.gluon as gluon
    HAS_GLUON = True
except Exception:
    HAS_GLUON = False

if not HAS_GLUON:
    warnings.warn("gluon is not available; falling back")

_HAS_TMA = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 9

if _HAS_TMA:
    _BLOCK = 2048

    def _warps(n):
        return 8 if n > 1024 else 4
else:
    _BLOCK = 1024

    def _warps(n):
        return 4


@triton.jit
def entropy_kernel(x_ptr, o_ptr, s, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = tl.full((), float("-inf"), tl.float32)
    d = tl.full((), 0.0, tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * s + c, mask=c < N, other=float("-inf")).to(tl.float32)
        n = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - n) + tl.sum(tl.exp(x - n), axis=0)
        m = n
    ld = tl.log(d)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        k = c < N
        x = tl.load(x_ptr + row * s + c, mask=k, other=0.0).to(tl.float32)
        lp = (x - m) - ld
        acc += tl.where(k, tl.exp(lp) * lp, 0.0)
    tl.store(o_ptr + row, -tl.sum(acc, axis=0))


def run(x):
    M, N = x.shape
    out = torch.empty(M, dtype=x.dtype, device=x.device)
    entropy_kernel[(M,)](x, out, x.stride(0), N, BLOCK=_BLOCK, num_warps=_warps(N))
    return out
