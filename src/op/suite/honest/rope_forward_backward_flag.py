# op: rope
# about: one kernel for both directions by a constexpr flag, four rows per program in an unrolled loop
import torch
import triton
import triton.language as tl

ROPE_GROUP_SIZE = tl.constexpr(4)


def settings(n):
    size = triton.next_power_of_2(n)
    return size, 4 if size < 2048 else 8


@triton.heuristics({"BACKWARD_PASS": lambda args: bool(args["BACKWARD_PASS"])})
@triton.jit
def _rope_embedding(
    Q, Q_row_stride, O, O_row_stride, cos, cos_row_stride, sin, sin_row_stride, n_rows, half_head_dim,
    BACKWARD_PASS: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    group = tl.program_id(0)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < half_head_dim
    for k in tl.static_range(0, ROPE_GROUP_SIZE):
        row = (group * ROPE_GROUP_SIZE + k).to(tl.int64)
        if row < n_rows:
            sin1 = tl.load(sin + row * sin_row_stride + col_offsets, mask=mask, other=0).to(tl.float32)
            sin2 = tl.load(sin + row * sin_row_stride + half_head_dim + col_offsets, mask=mask, other=0).to(tl.float32)
            cos1 = tl.load(cos + row * cos_row_stride + col_offsets, mask=mask, other=0).to(tl.float32)
            cos2 = tl.load(cos + row * cos_row_stride + half_head_dim + col_offsets, mask=mask, other=0).to(tl.float32)
            if BACKWARD_PASS:
                sin1 = -sin1
                sin2 = -sin2
            lo = tl.load(Q + row * Q_row_stride + col_offsets, mask=mask, other=0).to(tl.float32)
            hi = tl.load(Q + row * Q_row_stride + half_head_dim + col_offsets, mask=mask, other=0).to(tl.float32)
            tl.store(O + row * O_row_stride + col_offsets, lo * cos1 - hi * sin1, mask=mask)
            tl.store(O + row * O_row_stride + half_head_dim + col_offsets, hi * cos2 + lo * sin2, mask=mask)


class Fast_RoPE_Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Q, cos, sin):
        n_rows, head_dim = Q.shape
        out = torch.empty_like(Q)
        BLOCK_SIZE, num_warps = settings(head_dim // 2)
        div, mod = divmod(n_rows, 4)
        n_groups = div + (mod != 0)
        _rope_embedding[(n_groups,)](
            Q, Q.stride(0), out, out.stride(0), cos, cos.stride(0), sin, sin.stride(0), n_rows, head_dim // 2,
            BACKWARD_PASS=False, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps,
        )
        ctx.BLOCK_SIZE = BLOCK_SIZE
        ctx.cos = cos
        ctx.sin = sin
        return out


def run(x, cos, sin):
    return Fast_RoPE_Embedding.apply(x, cos, sin)
