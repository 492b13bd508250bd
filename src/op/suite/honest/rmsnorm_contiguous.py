# op: rmsnorm
# about: strided inputs are made contiguous first, rows are addressed by N alone
import torch
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, w_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = row.to(tl.int64) * N
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + offs, mask=offs < N, other=0.0).to(tl.float32)
        acc += x * x
    r = tl.math.rsqrt(tl.sum(acc) / N + 1e-6)
    for start in range(0, N, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        m = offs < N
        x = tl.load(x_ptr + base + offs, mask=m, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + offs, mask=m, other=0.0).to(tl.float32)
        tl.store(out_ptr + base + offs, w * (x * r), mask=m)


def run(x, w):
    x = x.contiguous()
    M, N = x.shape
    out = torch.empty((M, N), device=x.device, dtype=x.dtype)
    rms_kernel[(M,)](x, w.contiguous(), out, N, BLOCK=1024)
    return out
