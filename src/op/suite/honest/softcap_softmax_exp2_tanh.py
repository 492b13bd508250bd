# op: softcap_softmax
# about: softmax exp2 tanh
import torch
import triton
import triton.language as tl


from triton.language.extra import libdevice


@triton.jit
def k(x_ptr, o_ptr, sx, so, N, CAP: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    m = i < N
    x = tl.load(x_ptr + r * sx + i, mask=m, other=0.0).to(tl.float32)
    z = CAP * libdevice.tanh(x / CAP)
    z = tl.where(m, z, float("-inf"))
    z = z - tl.max(z, axis=0)
    e = tl.exp2(z * 1.4426950408889634)
    tl.store(o_ptr + r * so + i, e / tl.sum(e, axis=0), mask=m)


def run(x):
    M, N = x.shape
    o = torch.empty_like(x)
    k[(M,)](x, o, x.stride(0), o.stride(0), N, 30.0, BLOCK=triton.next_power_of_2(N), num_warps=8)
    return o
