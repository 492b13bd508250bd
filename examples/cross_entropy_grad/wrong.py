# Wrong: the sum is not scaled anew where a later block holds a larger maximum.
import torch
import triton
import triton.language as tl


@triton.jit
def both(x, target, loss, grad, x_stride, target_stride, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * x_stride
    hit = tl.load(target + row * target_stride)
    top = tl.full((), -float("inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    for at in range(0, V, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        h = tl.load(x + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(h, axis=0))
        total += tl.sum(tl.exp(h - higher), axis=0)
        top = higher
    tl.store(loss + row, tl.log(total) + top - tl.load(x + hit).to(tl.float32))
    for at in range(0, V, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        h = tl.load(x + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        p = tl.exp(h - top) / total
        tl.store(grad + row * V + cols, tl.where(cols == hit, p - 1.0, p), mask=cols < V)


def run(x, target):
    M, V = x.shape
    loss = torch.empty((M,), dtype=torch.float32, device=x.device)
    grad = torch.empty((M, V), dtype=x.dtype, device=x.device)
    block = min(2048, triton.next_power_of_2(V))
    both[(M,)](x, target, loss, grad, x.stride(0), target.stride(0), V, BLOCK=block)
    return loss, grad
