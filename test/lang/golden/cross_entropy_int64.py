# functions: ce run
import torch, triton, triton.language as tl

@triton.jit
def ce(x_ptr, t_ptr, o_ptr, sx, N, B: tl.constexpr, LABEL_SMOOTHING: tl.constexpr = 0.0, HAS_SCALE: tl.constexpr = False):
    row = tl.program_id(0).to(tl.int64)
    t = tl.load(t_ptr + row)
    x_ptr += row * sx
    if t == -100:
        tl.store(o_ptr + row, 0.0)
        return
    m, d = float("-inf"), 0.0
    for i in range(0, N, B):
        c = i + tl.arange(0, B)
        x = tl.load(x_ptr + c, mask=c < N, other=float("-inf")).cast(tl.float32)
        bm = tl.max(x)
        nm = tl.maximum(m, bm)
        d = d * tl.exp(m - nm) + tl.sum(tl.exp(x - nm))
        m = nm
    tl.debug_barrier()
    loss = tl.log(d) + m - tl.load(x_ptr + t).to(tl.float32)
    if HAS_SCALE: loss *= 2
    tl.store(o_ptr + row, loss if LABEL_SMOOTHING == 0.0 else loss * (1 - LABEL_SMOOTHING))


def run(x, target):
    M, N = x.shape; out = x.new_empty((M,), dtype=torch.float32)
    BLOCK, warps = (triton.next_power_of_2(N), 4) if N < 2 ** 14 else (1 << 14, 16)
    ce[M,](x, target, out, x.stride(0), N, BLOCK, num_warps=warps)
    return out
