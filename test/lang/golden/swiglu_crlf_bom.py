# functions: swiglu run
import torch, triton, triton.language as tl

@triton.jit
def swiglu(g, u, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    a = tl.load(g + i, mask=m, other=0.0).to(tl.float32)
    b = tl.load(u + i, mask=m, other=0.0).to(tl.float32)
    tl.store(o + i, a * tl.sigmoid(a) * b, mask=m)

def run(gate, up):
    out = torch.empty_like(gate)
    n = out.numel()
    swiglu[(triton.cdiv(n, 1024), )](gate, up, out, n, B=1024)
    return out
