# op: add_rmsnorm_hardsigmoid
# about: programs share a row, add their part with atomics, and whoever arrives last finishes the row
import torch
import triton
import triton.language as tl


@triton.jit
def shared_rows(
    x_ptr, r_ptr, w_ptr, y_ptr, sum_ptr, count_ptr, N, sx, sr, sy, BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    row64 = row.to(tl.int64)
    parts = tl.num_programs(1)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    h = tl.load(x_ptr + row64 * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
    h += tl.load(r_ptr + row64 * sr + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(sum_ptr + row, tl.sum(h * h, axis=0), sem="release")
    tl.debug_barrier()
    arrived = tl.atomic_add(count_ptr + row, 1, sem="acq_rel")
    if arrived == parts - 1:
        total = tl.atomic_add(sum_ptr + row, 0.0, sem="acquire")
        r = tl.rsqrt(total / N + 1e-6)
        for start in range(0, N, BLOCK):
            c = start + tl.arange(0, BLOCK)
            m = c < N
            h = tl.load(x_ptr + row64 * sx + c, mask=m, other=0.0).to(tl.float32)
            h += tl.load(r_ptr + row64 * sr + c, mask=m, other=0.0).to(tl.float32)
            h = h * r * tl.load(w_ptr + c, mask=m, other=0.0).to(tl.float32)
            h = tl.clamp(h + 3.0, 0.0, 6.0) * 0.16666666666666666
            tl.store(y_ptr + row64 * sy + c, h, mask=m)


def run(x, residual, w):
    M, N = x.shape
    y = torch.empty_like(x)
    sums = x.new_zeros(M, dtype=torch.float32)
    counts = x.new_zeros(M, dtype=torch.int32)
    BLOCK = 1024
    shared_rows[(M, triton.cdiv(N, BLOCK))](
        x, residual, w, y, sums, counts, N, x.stride(0), residual.stride(0), y.stride(0), BLOCK=BLOCK
    )
    return y
