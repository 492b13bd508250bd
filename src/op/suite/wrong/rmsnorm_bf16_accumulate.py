# op: rmsnorm
# expect: incorrect
# about: accumulates the squares in bfloat16
# attack: C10
import torch
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], dtype=tl.bfloat16)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += (x * x).to(tl.bfloat16)
    scale = tl.rsqrt(tl.sum(acc, axis=0).to(tl.float32) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, x * scale * w, mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    rms_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=256)
    return out
