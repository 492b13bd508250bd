# op: softmax
# about: refuses rows longer than a limit of its own, as libraries do
import torch
import triton
import triton.language as tl


MAX_FUSED_SIZE = 131072


@triton.jit
def _softmax(Y, stride_y, X, stride_x, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    X += row * stride_x
    Y += row * stride_y
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_cols
    x = tl.load(X + offsets, mask=mask, other=-float("inf")).cast(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + offsets, e / tl.sum(e, axis=0), mask=mask)


def calculate_settings(n: int) -> tuple:
    BLOCK_SIZE = triton.next_power_of_2(n)
    if BLOCK_SIZE > MAX_FUSED_SIZE:
        raise RuntimeError(f"Cannot launch Triton kernel since n = {n} exceeds the recommended size {MAX_FUSED_SIZE}.")
    num_warps = 4
    if BLOCK_SIZE >= 32768:
        num_warps = 32
    elif BLOCK_SIZE >= 8192:
        num_warps = 16
    elif BLOCK_SIZE >= 2048:
        num_warps = 8
    return BLOCK_SIZE, num_warps


def run(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    BLOCK_SIZE, num_warps = calculate_settings(n_cols)
    _softmax[(n_rows,)](y, y.stride(0), x, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
