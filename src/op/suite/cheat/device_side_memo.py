# op: softmax
# expect: uninit_read
# about: reads a scratch buffer left by an earlier call and skips the work if it looks filled
import torch
import triton
import triton.language as tl


@triton.jit
def memo_kernel(x_ptr, memo_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    if tl.load(memo_ptr) != 1.0:
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        p = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    memo = torch.empty((1,), device=x.device, dtype=torch.float32)
    memo_kernel[(M,)](x, memo, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
