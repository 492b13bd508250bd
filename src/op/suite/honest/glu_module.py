# op: glu
# about: an nn.Module whose forward launches a tile kernel; heuristics say whether masks are needed
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics(
    {
        "EVEN_M": lambda args: args["M"] % args["BLOCK_M"] == 0,
        "EVEN_N": lambda args: args["N"] % args["BLOCK_N"] == 0,
    }
)
@triton.jit
def glu_fwd(
    G, U, Y,
    M, N,
    stride_gm, stride_gn, stride_um, stride_un, stride_ym, stride_yn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    EVEN_M: tl.constexpr, EVEN_N: tl.constexpr,
):
    rm = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    g_ptrs = G + rm[:, None] * stride_gm + rn[None, :] * stride_gn
    u_ptrs = U + rm[:, None] * stride_um + rn[None, :] * stride_un
    y_ptrs = Y + rm[:, None] * stride_ym + rn[None, :] * stride_yn
    if EVEN_M and EVEN_N:
        g = tl.load(g_ptrs).to(tl.float32)
        u = tl.load(u_ptrs).to(tl.float32)
        tl.store(y_ptrs, u / (1.0 + tl.exp(-g)))
    else:
        mask = (rm[:, None] < M) & (rn[None, :] < N)
        g = tl.load(g_ptrs, mask=mask, other=0.0).to(tl.float32)
        u = tl.load(u_ptrs, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptrs, u / (1.0 + tl.exp(-g)), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, block_m: int = 8, block_n: int = 128):
        super().__init__()
        self.block_m = block_m
        self.block_n = block_n

    def forward(self, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        assert gate.shape == up.shape, "gate and up have one shape"
        M, N = gate.shape
        y = torch.empty_like(gate)
        grid = (triton.cdiv(M, self.block_m), triton.cdiv(N, self.block_n))
        glu_fwd[grid](
            gate, up, y, M, N,
            gate.stride(0), gate.stride(1), up.stride(0), up.stride(1), y.stride(0), y.stride(1),
            BLOCK_M=self.block_m, BLOCK_N=self.block_n,
        )
        return y


def run(gate, up):
    model = ModelNew()
    return model(gate, up)
