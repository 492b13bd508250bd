# op: softmax
# about: several rows per program as one two-dimensional tile when they are short
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x_ptr, y_ptr, M, N, sx, sy, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, COLS)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x_offs = rows[:, None].to(tl.int64) * sx + cols[None, :]
    x = tl.load(x_ptr + x_offs, mask=mask, other=float("-inf")).to(tl.float32)
    x = x - tl.max(x, axis=1)[:, None]
    e = tl.exp(x)
    y = e / tl.sum(e, axis=1)[:, None]
    y_offs = rows[:, None].to(tl.int64) * sy + cols[None, :]
    tl.store(y_ptr + y_offs, y.to(y_ptr.dtype.element_ty), mask=mask)


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    COLS = triton.next_power_of_2(N)
    ROWS = max(1, min(8, 4096 // COLS))
    grid = lambda META: (triton.cdiv(M, META["ROWS"]),)
    softmax_rows[grid](x, y, M, N, x.stride(0), y.stride(0), ROWS=ROWS, COLS=COLS)
    return y
