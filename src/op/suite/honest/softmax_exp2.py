# op: softmax
# about: exp2 with log2(e) folded into the row, multiplied by the reciprocal of the sum
# attack: A64
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_exp2_kernel(x_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    LOG2E: tl.constexpr = 1.4426950408889634
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf")).to(tl.float32) * LOG2E
    num = tl.exp2(x - tl.max(x, axis=0))
    y = num * (1.0 / tl.sum(num, axis=0))
    tl.store(y_ptr + row * y_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(N)
    num_warps = 4
    if BLOCK >= 2048:
        num_warps = 8
    if BLOCK >= 4096:
        num_warps = 16
    softmax_exp2_kernel[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK=BLOCK, num_warps=num_warps)
    return y
