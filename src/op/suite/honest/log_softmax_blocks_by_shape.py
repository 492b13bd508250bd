# op: log_softmax
# about: a block is kept under both sizes
import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    shifted = x - tl.max(x, axis=0)
    tl.store(out_ptr + row * out_stride + cols, shifted - tl.log(tl.sum(tl.exp(shifted), axis=0)), mask=mask)


_blocks = {}


def run(x):
    M, N = x.shape
    key = (M, N)
    if key not in _blocks:
        _blocks[key] = triton.next_power_of_2(N)
    out = torch.empty_like(x)
    log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=_blocks[key])
    return out
