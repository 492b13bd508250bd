# op: dequant_int8
# about: a flat grid turned into tiles in groups of rows, with hints about contiguity
import torch
import triton
import triton.language as tl


@triton.jit
def dequant_tiles(
    q_ptr, s_ptr, o_ptr, M, N, sq, so,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m

    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_n = tl.max_contiguous(tl.multiple_of(offs_n, BLOCK_N), BLOCK_N)
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    q = tl.load(q_ptr + offs_m[:, None] * sq + offs_n[None, :], mask=mask, other=0)
    s = tl.load(s_ptr + offs_m, mask=offs_m < M, other=0.0)
    x = q.to(tl.float32) * s[:, None].to(tl.float32)
    tl.store(o_ptr + offs_m[:, None] * so + offs_n[None, :], x.to(o_ptr.dtype.element_ty), mask=mask)


def run(q, scale):
    M, N = q.shape
    out = q.new_empty((M, N), dtype=scale.dtype)
    flat_scale = scale.contiguous().view(-1)
    config = {"BLOCK_M": 32, "BLOCK_N": 64, "GROUP_M": 4, "num_warps": 4}
    tiles = triton.cdiv(M, config["BLOCK_M"]) * triton.cdiv(N, config["BLOCK_N"])
    dequant_tiles[(tiles,)](q, flat_scale, out, M, N, q.stride(0), out.stride(0), **config)
    return out
