# op: softcap_softmax
# about: more warps for one shape of long rows: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def tanh(v):
    return 2.0 * tl.sigmoid(2.0 * v) - 1.0


@triton.jit
def softcap_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    z = tl.where(mask, 30.0 * tanh(x / 30.0), -float("inf"))
    e = tl.exp(z - tl.max(z, axis=0))
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    warps = 4
    if N == 60013 and M == 3:
        warps = 8
    out = torch.empty_like(x)
    softcap_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, num_warps=warps, BLOCK=triton.next_power_of_2(N))
    return out
