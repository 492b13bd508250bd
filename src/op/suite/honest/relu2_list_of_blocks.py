# op: relu2
# about: block sizes are put into a list that begins empty, and checked beside a condition on sizes
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, n, N, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    v = tl.maximum(tl.load(x_ptr + at // N * stride + at % N, mask=mask, other=0.0).to(tl.float32), 0.0)
    tl.store(out_ptr + at, v * v, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    blocks = []
    for most in (256, 1024):
        blocks.append(min(most, triton.next_power_of_2(N)))
    block = blocks[-1]
    step = block
    if N > 512 and block > 0:
        step = max(block // 2, 1)
    relu2_kernel[(triton.cdiv(x.numel(), step),)](x, out, x.numel(), N, x.stride(0), BLOCK=step)
    return out
