# op: softmax
# form: as in the QuACK library: few threads for a row and few warps for a program, so that each thread holds much of a row in registers
#   and a reduction crosses few warps; short rows share a program. Written in Triton, which has no clusters: rows are not split over SMs.
import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(x_ptr, y_ptr, x_stride, y_stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(x_ptr + rows * x_stride + cols, mask=mask, other=float("-inf")).to(tl.float32)
    # A row that is not there has only -inf: its maximum becomes 0, so that nothing is undefined.
    top = tl.max(x, axis=1, keep_dims=True)
    top = tl.where(top == float("-inf"), 0.0, top)
    e = tl.exp2((x - top) * 1.4426950408889634)
    total = tl.sum(e, axis=1, keep_dims=True)
    tl.store(y_ptr + rows * y_stride + cols, e * (1.0 / total), mask=mask)


def threads_of(n):
    """Threads for a row, and of a program: a row longer than a few registers of each thread gets more of them."""
    row = 8 if n <= 64 else 16 if n <= 128 else 32 if n <= 3072 else 64 if n <= 6144 else 128 if n <= 16384 else 256
    return row, 128 if n <= 16384 else 256


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    row, threads = threads_of(N)
    tile_kernel[(triton.cdiv(M, threads // row),)](
        x, y, x.stride(0), y.stride(0), M, N, ROWS=threads // row, BLOCK=triton.next_power_of_2(N), num_warps=threads // 32
    )
    return y
