import torch
import triton
import triton.language as tl


@triton.jit
def token_sum_kernel(x_ptr, out_ptr, x0, x1, T, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, T, ROWS):
        t = start + tl.arange(0, ROWS)
        mask = (t[:, None] < T) & (cols[None, :] < N)
        total += tl.load(x_ptr + row * x0 + t[:, None] * x1 + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * N + cols, tl.sum(total, axis=0), mask=cols < N)


def run(x):
    M, T, N = x.shape
    out = torch.empty((M, N), dtype=x.dtype, device=x.device)
    token_sum_kernel[(M, triton.cdiv(N, 64))](x, out, x.stride(0), x.stride(1), T, N, ROWS=16, BLOCK=64)
    return out
