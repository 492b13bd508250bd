# op: silu
# about: one warp per program, sixteen elements a thread, tail handled by a second launch without a loop
import torch
import triton
import triton.language as tl


@triton.jit
def silu_block(x_ptr, y_ptr, sx, sy, first, N, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = first + tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    if MASKED:
        x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
    else:
        x = tl.load(x_ptr + row * sx + cols).to(tl.float32)
    y = x / (1.0 + tl.exp(-x))
    if MASKED:
        tl.store(y_ptr + row * sy + cols, y, mask=cols < N)
    else:
        tl.store(y_ptr + row * sy + cols, y)


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    BLOCK = 512
    whole = N // BLOCK
    if whole > 0:
        silu_block[(M, whole)](x, y, x.stride(0), y.stride(0), 0, N, BLOCK=BLOCK, MASKED=False, num_warps=1)
    rest = N - whole * BLOCK
    if rest > 0:
        silu_block[(M, 1)](
            x, y, x.stride(0), y.stride(0), whole * BLOCK, N, BLOCK=triton.next_power_of_2(rest), MASKED=True, num_warps=1
        )
    return y
