# op: cross_entropy
# about: targets in 32 bits
import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, out_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(target_ptr + row).to(tl.int32)
    m = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        larger = tl.maximum(m, tl.max(x, axis=0))
        safe = tl.where(larger == -float("inf"), 0.0, larger)
        total = total * tl.exp(m - safe) + tl.sum(tl.exp(x - safe), axis=0)
        m = larger
    picked = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    tl.store(out_ptr + row, tl.log(total) + m - picked)


def run(x, target):
    M, N = x.shape
    out = torch.empty((M,), dtype=x.dtype, device=x.device)
    cross_entropy_kernel[(M,)](x, target, out, x.stride(0), N, BLOCK=1024)
    return out
