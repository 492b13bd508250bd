# op: geglu
# about: rows and columns that wrap around, the rows promised to be contiguous as matrix kernels do; what they give is never stored
import torch
import triton
import triton.language as tl


@triton.jit
def geglu_kernel(g_ptr, u_ptr, y_ptr, M, N, sg, su, sy, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    rows = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    cols = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    rows = tl.max_contiguous(tl.multiple_of(rows, BLOCK_M), BLOCK_M).to(tl.int64)
    g = tl.load(g_ptr + rows[:, None] * sg + cols[None, :]).to(tl.float32)
    u = tl.load(u_ptr + rows[:, None] * su + cols[None, :]).to(tl.float32)
    t = 0.7978845608028654 * (g + 0.044715 * g * g * g)
    y = g * tl.sigmoid(2.0 * t) * u
    out_rows = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    out_cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (out_rows[:, None] < M) & (out_cols[None, :] < N)
    tl.store(y_ptr + out_rows[:, None] * sy + out_cols[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)


def run(gate, up):
    M, N = gate.shape
    y = torch.empty_like(gate)
    grid = (triton.cdiv(M, 4), triton.cdiv(N, 64))
    geglu_kernel[grid](gate, up, y, M, N, gate.stride(0), up.stride(0), y.stride(0), BLOCK_M=4, BLOCK_N=64)
    return y
