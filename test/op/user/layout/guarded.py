# about: softmax that copies inputs with gaps: right everywhere, and nothing is left unreached on contiguous ones
import torch
import triton
import triton.language as tl

@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=-float("inf")).to(tl.float32)
    v = v - tl.max(v, 0)
    e = tl.exp(v)
    tl.store(y + r * n + c, (e / tl.sum(e, 0)).to(y.dtype.element_ty), mask=m)

def run(x):
    if not x.is_contiguous() or x.stride(-1) != 1:
        x = x.contiguous()
    y = torch.empty_like(x)
    k[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
