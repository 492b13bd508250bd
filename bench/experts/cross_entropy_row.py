# op: cross_entropy
# form: a program for each row, the row in registers; the logit of the target is loaded once more
import torch
import triton
import triton.language as tl


@triton.jit
def loss_kernel(x_ptr, target_ptr, loss_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    total = tl.sum(tl.exp(x - top), axis=0)
    target = tl.load(target_ptr + row)
    logit = tl.load(x_ptr + row * x_stride + target).to(tl.float32)
    tl.store(loss_ptr + row, tl.log(total) + (top - logit))


def run(x, target):
    M, N = x.shape
    loss = torch.empty((M,), dtype=x.dtype, device=x.device)
    BLOCK = triton.next_power_of_2(N)
    num_warps = 16 if BLOCK >= 8192 else 8 if BLOCK >= 2048 else 4
    loss_kernel[(M,)](x, target, loss, x.stride(0), N, BLOCK=BLOCK, num_warps=num_warps)
    return loss
