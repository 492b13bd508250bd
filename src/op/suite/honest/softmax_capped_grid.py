# op: softmax
# about: at most 65,535 programs, each with a loop over the rows that remain
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    for i in range(tl.program_id(0), M, tl.num_programs(0)):
        row = i.to(tl.int64)
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        p = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    kernel[(min(M, 65535),)](x, out, x.stride(0), out.stride(0), M, N, BLOCK=triton.next_power_of_2(N))
    return out
