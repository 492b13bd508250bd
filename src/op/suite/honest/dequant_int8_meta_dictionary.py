# op: dequant_int8
# about: constants in a dictionary at module level, strides unpacked, 2D tiles
import torch
import triton
import triton.language as tl

BLOCK_M = 4
BLOCK_N = 128
META = {"BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N}


@triton.jit
def dequant_kernel(q_ptr, s_ptr, o_ptr, M, N, stride_qm, stride_qn, stride_s, stride_om, stride_on, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    q = tl.load(q_ptr + rm[:, None] * stride_qm + rn[None, :] * stride_qn, mask=mask, other=0)
    s = tl.load(s_ptr + rm * stride_s, mask=rm < M, other=0.0)
    o = q.to(tl.float32) * s[:, None].to(tl.float32)
    tl.store(o_ptr + rm[:, None] * stride_om + rn[None, :] * stride_on, o.to(tl.float16), mask=mask)


def run(q, scale):
    M, N = q.shape
    out = torch.empty((M, N), dtype=torch.float16, device=q.device)
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    dequant_kernel[grid](q, scale, out, M, N, *q.stride(), scale.stride(0), *out.stride(), **META)
    return out
