# op: entropy
# about: lanes beyond the row rescale by a difference
import torch
import triton
import triton.language as tl


@triton.jit
def entropy_kernel(x_ptr, out_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    top = tl.full([BLOCK], -1e38, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    dot = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + lane
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-1e38).to(tl.float32)
        higher = tl.maximum(top, x)
        keep = tl.exp2((top - higher) * 1.4426950408889634)
        p = tl.where(cols < N, tl.exp2((x - higher) * 1.4426950408889634), 0.0)
        gap = tl.where(cols < N, top - higher, 0.0)
        dot = (dot + tl.where(total > 0.0, total * gap, 0.0)) * keep + p * tl.where(cols < N, x - higher, 0.0)
        total = total * keep + p
        top = higher
    most = tl.max(top, axis=0)
    scale = tl.exp2((top - most) * 1.4426950408889634)
    z = tl.sum(total * scale, axis=0)
    d = tl.sum((dot + tl.where(total > 0.0, total * (top - most), 0.0)) * scale, axis=0)
    tl.store(out_ptr + row, tl.log(z) - d / z)


def run(x):
    M, N = x.shape
    out = torch.empty((M,), dtype=x.dtype, device=x.device)
    entropy_kernel[(M,)](x, out, x.stride(0), N, BLOCK=256)
    return out
