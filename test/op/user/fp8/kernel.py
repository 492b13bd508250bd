import torch
import triton
import triton.language as tl


@triton.jit
def dq(x, s, y, M, N, sx, ss, sy, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    scale = tl.load(s + row * ss).to(tl.float32)
    for j in range(0, N, BLOCK):
        c = j + tl.arange(0, BLOCK)
        v = tl.load(x + row * sx + c, mask=c < N, other=0.0).to(tl.float32)
        tl.store(y + row * sy + c, v * scale, mask=c < N)

def run(x, s):
    M, N = x.shape
    y = torch.empty((M, N), device=x.device, dtype=s.dtype)
    dq[(M,)](x, s, y, M, N, x.stride(0), s.stride(0), y.stride(0), BLOCK=256)
    return y
