# op: softcap_softmax
# about: the whole row in one tile; 30 tanh(x / 30) is 30 - 60 sigmoid(-x / 15), and softmax does not depend on the first 30
import torch
import triton
import triton.language as tl


@triton.jit
def softcap_softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    z = tl.where(mask, -60.0 * tl.sigmoid(x / -15.0), -float("inf"))
    e = tl.exp(z)
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    softcap_softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
