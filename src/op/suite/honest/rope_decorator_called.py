# op: rope
# about: a decorator that is called, not written above the kernel
import torch
import triton
import triton.language as tl

ROPE_GROUP_SIZE: tl.constexpr = 4


@triton.jit
def _rope_embedding(Q, Q_row_stride, cos, cos_row_stride, sin, sin_row_stride, O, O_row_stride, head_dim: tl.constexpr, BACKWARD_PASS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row_position = tl.program_id(0)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    half_head_dim = head_dim // 2
    mask = col_offsets < half_head_dim
    q_base = row_position.to(tl.int64)
    sin1 = tl.load(sin + q_base * sin_row_stride + col_offsets, mask=mask, other=0).to(tl.float32)
    cos1 = tl.load(cos + q_base * cos_row_stride + col_offsets, mask=mask, other=0).to(tl.float32)
    sin2 = tl.load(sin + q_base * sin_row_stride + half_head_dim + col_offsets, mask=mask, other=0).to(tl.float32)
    cos2 = tl.load(cos + q_base * cos_row_stride + half_head_dim + col_offsets, mask=mask, other=0).to(tl.float32)
    if BACKWARD_PASS:
        sin1 = -sin1
        sin2 = -sin2
    offs_q1 = q_base * Q_row_stride + col_offsets
    offs_q2 = q_base * Q_row_stride + col_offsets + half_head_dim
    Q1 = tl.load(Q + offs_q1, mask=mask, other=0).to(tl.float32)
    Q2 = tl.load(Q + offs_q2, mask=mask, other=0).to(tl.float32)
    o = O + q_base * O_row_stride + col_offsets
    tl.store(o, Q1 * cos1 - Q2 * sin1, mask=mask)
    tl.store(o + half_head_dim, Q2 * cos2 + Q1 * sin2, mask=mask)


_rope_embedding = triton.heuristics({"BACKWARD_PASS": lambda args: bool(args["BACKWARD_PASS"])})(_rope_embedding)


def run(x, cos, sin):
    M, D = x.shape
    out = torch.empty_like(x)
    BLOCK_SIZE = triton.next_power_of_2(max(D // 2, 1))
    _rope_embedding[(M,)](
        x, x.stride(0), cos, cos.stride(0), sin, sin.stride(0), out, out.stride(0), D,
        BACKWARD_PASS=False, BLOCK_SIZE=BLOCK_SIZE, num_warps=4,
    )
    return out
