# op: swiglu
# about: configs from function
import torch
import triton
import triton.language as tl


def get_autotune_configs():
    configs = []
    for block_m in [1, 2]:
        for block_n in [256, 512]:
            configs.append(triton.Config({"BLOCK_M": block_m, "BLOCK_N": block_n}, num_warps=4))
    return configs


@triton.autotune(configs=get_autotune_configs(), key=["M", "N"])
@triton.jit
def swiglu_kernel(G, U, O, M, N, sg, su, so, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (rm < M) & (rn < N)
    rm = rm.to(tl.int64)
    g = tl.load(G + rm * sg + rn, mask=mask, other=0.0).to(tl.float32)
    u = tl.load(U + rm * su + rn, mask=mask, other=0.0).to(tl.float32)
    tl.store(O + rm * so + rn, g * tl.sigmoid(g) * u, mask=mask)


def run(gate, up):
    assert gate.shape == up.shape, f"shape mismatch: {gate.shape} vs {up.shape}"
    M, N = gate.shape
    out = gate.new_empty((M, N))
    grid = lambda META: (triton.cdiv(M, META["BLOCK_M"]), triton.cdiv(N, META["BLOCK_N"]))
    swiglu_kernel[grid](gate, up, out, M, N, gate.stride(0), up.stride(0), out.stride(0))
    return out
