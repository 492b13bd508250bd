# op: softmax
# about: a dictionary of the module keeps a block under a length
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


_blocks = {}


def run(x):
    M, N = x.shape
    key = N
    if key not in _blocks:
        _blocks[key] = triton.next_power_of_2(N)
    out = torch.empty_like(x)
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=_blocks[key])
    return out
