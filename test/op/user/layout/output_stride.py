# about: softmax that stores its rows as far apart as those of x
import torch
import triton
import triton.language as tl

@triton.jit
def k(x, y, n, s, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = c < n
    v = tl.load(x + r * s + c, mask=m, other=-float("inf")).to(tl.float32)
    v = v - tl.max(v, 0)
    e = tl.exp(v)
    tl.store(y + r * s + c, (e / tl.sum(e, 0)).to(y.dtype.element_ty), mask=m)

def run(x):
    y = torch.empty_like(x)
    k[(x.shape[0],)](x, y, x.shape[1], x.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
