# op: rmsnorm
# form: as in the QuACK library (see softmax_quack.py)
import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(x_ptr, w_ptr, y_ptr, x_stride, y_stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    inside = cols < N
    mask = (rows < M) & inside
    x = tl.load(x_ptr + rows * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=1, keep_dims=True) / N + 1e-6)
    w = tl.load(w_ptr + cols, mask=inside, other=0.0).to(tl.float32)
    tl.store(y_ptr + rows * y_stride + cols, x * rstd * w, mask=mask)


def threads_of(n):
    """Threads for a row, and of a program: a row longer than a few registers of each thread gets more of them."""
    row = 8 if n <= 64 else 16 if n <= 128 else 32 if n <= 3072 else 64 if n <= 6144 else 128 if n <= 16384 else 256
    return row, 128 if n <= 16384 else 256


def run(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    row, threads = threads_of(N)
    tile_kernel[(triton.cdiv(M, threads // row),)](
        x, w, y, x.stride(0), y.stride(0), M, N, ROWS=threads // row, BLOCK=triton.next_power_of_2(N), num_warps=threads // 32
    )
    return y
