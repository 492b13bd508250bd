# op: log_softmax
# about: more warps for one entry of a table of row lengths: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    shifted = x - tl.max(x, axis=0)
    y = shifted - tl.log(tl.sum(tl.exp(shifted), axis=0))
    tl.store(out_ptr + row * out_stride + cols, y, mask=cols < N)


def run(x):
    M, N = x.shape
    warps = 4
    if {1000: 0, 30011: 1}.get(N, 0) == 1:
        warps = 8
    out = torch.empty_like(x)
    log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, num_warps=warps, BLOCK=triton.next_power_of_2(N))
    return out
