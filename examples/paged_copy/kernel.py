# One program copies one page of 16 rows.
import torch
import triton
import triton.language as tl


@triton.jit
def copy_page(cache, table, out, page_stride, row_stride, table_stride, D, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    page = tl.load(table + i * table_stride).to(tl.int64)
    rows = tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    h = tl.load(cache + page * page_stride + rows * row_stride + cols, mask=cols < D)
    tl.store(out + (i * ROWS + rows) * D + cols, h, mask=cols < D)


def run(cache, table):
    P, R, D = cache.shape
    T = table.shape[0]
    out = torch.empty((T * R, D), dtype=cache.dtype, device=cache.device)
    strides = cache.stride(0), cache.stride(1), table.stride(0)
    copy_page[(T,)](cache, table, out, *strides, D, ROWS=16, BLOCK=triton.next_power_of_2(D))
    return out
