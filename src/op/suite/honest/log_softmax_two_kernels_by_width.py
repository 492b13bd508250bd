# op: log_softmax
# about: warps by a table, a limit from below and from above
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


WARPS = {256: 1, 1024: 4, 4096: 8}


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block = max(16, triton.next_power_of_2(N))
    warps = WARPS.get(block, 4)
    if min(block, 4096) > 8192:
        warps = 32
    log_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=block, num_warps=warps)
    return out
