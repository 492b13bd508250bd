# op: rmsnorm
# expect: inaccurate
# about: sums the squares in float32 but with four lanes only, nearly one after the other
import torch
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, LANES: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([LANES], dtype=tl.float32)
    for start in range(0, N, LANES):
        cols = start + tl.arange(0, LANES)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += x * x
    scale = tl.rsqrt(tl.sum(acc, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, x * scale * w, mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    rms_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, LANES=4, BLOCK=1024)
    return out
