# op: cross_entropy_grad
# about: the loss is a view of the logits
# expect: overlap
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, target, loss, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(x + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    at = tl.load(target + row)
    top = tl.max(v, axis=0)
    p = tl.exp(v - top)
    total = tl.sum(p, axis=0)
    hit = tl.sum(tl.where(cols == at, v, 0.0), axis=0)
    tl.store(loss + row * x_stride, tl.log(total) - (hit - top))
    tl.store(x + row * x_stride + cols, p / total - tl.where(cols == at, 1.0, 0.0), mask=mask)


def run(x, target):
    M, N = x.shape
    loss = x[:, 0]
    kernel[(M,)](x, target, loss, x.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return loss
