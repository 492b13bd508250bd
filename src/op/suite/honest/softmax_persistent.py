# op: softmax
# about: at most 64 programs that walk over the rows with a grid stride
# attack: A60
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_persistent(out_ptr, in_ptr, in_stride, out_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    for row_idx in range(row_start, n_rows, row_step):
        row = tl.load(in_ptr + tl.cast(row_idx, tl.int64) * in_stride + col_offsets, mask=mask, other=-float("inf"))
        shifted = row.to(tl.float32) - tl.max(row, axis=0)
        numerator = tl.exp(shifted)
        denominator = tl.sum(numerator, axis=0)
        tl.store(out_ptr + tl.cast(row_idx, tl.int64) * out_stride + col_offsets, numerator / denominator, mask=mask)


def run(x):
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    num_programs = min(n_rows, 64)
    softmax_persistent[(num_programs, 1, 1)](
        out, x, x.stride(0), out.stride(0), n_rows, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols), num_stages=2
    )
    return out
