# op: swiglu
# about: sigmoid by exp2 with log2(e) folded, tiles of eight rows
import torch
import triton
import triton.language as tl


@triton.jit
def silu(g):
    return g / (1.0 + tl.exp2(-1.4426950408889634 * g))


@triton.jit
def swiglu_tile(g_ptr, u_ptr, o_ptr, M, N, sg, su, so, TM: tl.constexpr, TN: tl.constexpr):
    m = tl.program_id(0) * TM + tl.arange(0, TM)
    n = tl.program_id(1) * TN + tl.arange(0, TN)
    mask = (m[:, None] < M) & (n[None, :] < N)
    m64 = m.to(tl.int64)[:, None]
    g = tl.load(g_ptr + m64 * sg + n[None, :], mask=mask, other=0.0).to(tl.float32)
    u = tl.load(u_ptr + m64 * su + n[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(o_ptr + m64 * so + n[None, :], silu(g) * u, mask=mask)


def run(gate, up):
    M, N = gate.shape
    out = torch.empty((M, N), dtype=gate.dtype, device=gate.device)
    TM, TN = 8, 256
    grid = (triton.cdiv(M, TM), triton.cdiv(N, TN))
    swiglu_tile[grid](gate, up, out, M, N, gate.stride(0), up.stride(0), out.stride(0), TM=TM, TN=TN)
    return out
