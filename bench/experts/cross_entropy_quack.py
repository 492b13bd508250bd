# op: cross_entropy
# form: as in the QuACK library (see softmax_quack.py)
import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(x_ptr, target_ptr, loss_ptr, x_stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)[None, :]
    here = rows < M
    target = tl.load(target_ptr + rows, mask=here, other=0)
    logit = tl.load(x_ptr + rows * x_stride + target, mask=here, other=0.0).to(tl.float32)
    x = tl.load(x_ptr + rows[:, None] * x_stride + cols, mask=here[:, None] & (cols < N), other=float("-inf")).to(tl.float32)
    top = tl.max(x, axis=1)
    top = tl.where(here, top, 0.0)
    total = tl.sum(tl.exp2((x - top[:, None]) * 1.4426950408889634), axis=1)
    total = tl.where(here, total, 1.0)
    tl.store(loss_ptr + rows, tl.log(total) + (top - logit), mask=here)


def threads_of(n):
    """Threads for a row, and of a program: a row longer than a few registers of each thread gets more of them."""
    row = 8 if n <= 64 else 16 if n <= 128 else 32 if n <= 3072 else 64 if n <= 6144 else 128 if n <= 16384 else 256
    return row, 128 if n <= 16384 else 256


def run(x, target):
    M, N = x.shape
    loss = torch.empty((M,), dtype=x.dtype, device=x.device)
    row, threads = threads_of(N)
    tile_kernel[(triton.cdiv(M, threads // row),)](
        x, target, loss, x.stride(0), M, N, ROWS=threads // row, BLOCK=triton.next_power_of_2(N), num_warps=threads // 32
    )
    return loss
