# op: cross_entropy
# expect: nan_class
# about: a running maximum of each lane from -1e30, rescaled by the difference of two products
import torch
import triton
import triton.language as tl


@triton.jit
def loss_kernel(x_ptr, target_ptr, out_ptr, x_stride, target_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    top = tl.full([BLOCK], -1e30, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(top, x)
        keep = tl.exp2(top * 1.4426950408889634 - higher * 1.4426950408889634)
        total = total * keep + tl.exp2((x - higher) * 1.4426950408889634)
        top = higher
    most = tl.max(top, axis=0)
    lse = most + tl.log(tl.sum(total * tl.exp2((top - most) * 1.4426950408889634), axis=0))
    target = tl.load(target_ptr + row * target_stride)
    tl.store(out_ptr + row, lse - tl.load(x_ptr + row * x_stride + target).to(tl.float32))


def run(x, target):
    M, N = x.shape
    out = torch.empty((M,), dtype=x.dtype, device=x.device)
    loss_kernel[(M,)](x, target, out, x.stride(0), target.stride(0), N, BLOCK=64)
    return out
