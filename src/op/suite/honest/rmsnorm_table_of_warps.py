# op: rmsnorm
# about: table of warps
import torch
import triton
import triton.language as tl


import math


def next_pow2(n: int) -> int:
    return 1 if n == 0 else 2 ** (n - 1).bit_length()


def pick_config(n_cols: int):
    block = next_pow2(n_cols)
    for limit, warps in ((512, 4), (2048, 8), (8192, 16)):
        if block <= limit:
            return {"BLOCK": block, "num_warps": warps}
    return dict(BLOCK=block, num_warps=32)


@triton.jit
def rms(x_ptr, w_ptr, o_ptr, sx, so, n, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    off = tl.arange(0, BLOCK)
    msk = off < n
    xv = tl.load(x_ptr + pid * sx + off, msk, other=0.).to(tl.float32)
    wv = tl.load(w_ptr + off, msk, other=0.).to(tl.float32)
    var = tl.sum(xv * xv, 0) / n
    tl.store(o_ptr + pid * so + off, xv / tl.sqrt(var + eps) * wv, msk)


def run(x, w):
    rows, cols = x.shape
    o = torch.empty_like(x)
    cfg = pick_config(cols)
    rms[(rows,)](x, w, o, x.stride(0), o.stride(0), cols, 1e-6, **cfg)
    return o
