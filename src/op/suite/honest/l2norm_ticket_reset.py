# op: l2norm
# about: who arrives last finishes a row and sets the kept ticket and sum back to zero
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def shared_rows(x_ptr, y_ptr, sum_ptr, count_ptr, N, sx, sy, RESET: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    parts = tl.num_programs(1)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    h = tl.load(x_ptr + row.to(tl.int64) * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(sum_ptr + row, tl.sum(h * h), sem="release")
    tl.debug_barrier()
    arrived = tl.atomic_add(count_ptr + row, 1, sem="acq_rel")
    if arrived == parts - 1:
        r = tl.rsqrt(tl.atomic_add(sum_ptr + row, 0.0, sem="acquire") + 1e-6)
        for start in range(0, N, BLOCK):
            c = start + tl.arange(0, BLOCK)
            h = tl.load(x_ptr + row.to(tl.int64) * sx + c, mask=c < N, other=0.0).to(tl.float32)
            tl.store(y_ptr + row.to(tl.int64) * sy + c, h * r, mask=c < N)
        if RESET:
            tl.atomic_xchg(count_ptr + row, 0, sem="relaxed")
            tl.atomic_xchg(sum_ptr + row, 0.0, sem="relaxed")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.counts = torch.zeros(131072, dtype=torch.int32, device="cuda")
        self.sums = torch.zeros(131072, dtype=torch.float32, device="cuda")

    def forward(self, x):
        M, N = x.shape
        if M > 131072:
            raise ValueError("at most 131,072 rows")
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        shared_rows[(M, triton.cdiv(N, 1024))](
            x, y, self.sums, self.counts, N, x.stride(0), y.stride(0), RESET=True, BLOCK=1024
        )
        return y
