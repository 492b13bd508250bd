# op: silu
# about: the module remembers the last size, which nothing asks for
import torch
import triton
import triton.language as tl

_cache: dict = {"last": None, "elements": 0}


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.sigmoid(x)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    _cache["last"] = N
    _cache["elements"] += M * N
    silu_kernel[(M, triton.cdiv(N, 1024))](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out
