# op: rope_interleaved
# about: every lane loads its neighbour by flipping the lowest bit of its index, tiles of several rows
import torch
import triton
import triton.language as tl


@triton.jit
def rope_neighbours(
    X, COS, SIN, Y, M, D, stride_x, stride_cos, stride_sin, stride_y,
    BLOCK_M: tl.constexpr, BLOCK_D: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)[None, :]
    ok = (m < M) & (d < D)
    m = m.to(tl.int64)
    mine = tl.load(X + m * stride_x + d, mask=ok, other=0.0).to(tl.float32)
    other = tl.load(X + m * stride_x + (d ^ 1), mask=ok, other=0.0).to(tl.float32)
    c = tl.load(COS + m * stride_cos + (d >> 1), mask=ok, other=0.0).to(tl.float32)
    s = tl.load(SIN + m * stride_sin + (d >> 1), mask=ok, other=0.0).to(tl.float32)
    sign = tl.where((d & 1) == 0, -1.0, 1.0)
    tl.store(Y + m * stride_y + d, mine * c + sign * other * s, mask=ok)


def run(x, cos, sin):
    M, D = x.shape
    y = torch.empty((M, D), dtype=x.dtype, device="cuda")
    grid = (triton.cdiv(M, 8), triton.cdiv(D, 64))
    rope_neighbours[grid](
        x, cos, sin, y, M, D, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), BLOCK_M=8, BLOCK_D=64, num_warps=2
    )
    return y
