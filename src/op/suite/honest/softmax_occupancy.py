# op: softmax
# about: programs by processors and warps, rows strided with a pipelined tl.range, pointers made per row
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
    BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr,
):
    # starting row of the program
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        row_start_ptr = input_ptr + row_idx.to(tl.int64) * input_row_stride
        col_offsets = tl.arange(0, BLOCK_SIZE)
        input_ptrs = row_start_ptr + col_offsets
        mask = col_offsets < n_cols
        row = tl.load(input_ptrs, mask=mask, other=-float("inf")).to(tl.float32)
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        softmax_output = numerator / denominator
        output_row_start_ptr = output_ptr + row_idx.to(tl.int64) * output_row_stride
        tl.store(output_row_start_ptr + col_offsets, softmax_output, mask=mask)


def run(x):
    n_rows, n_cols = x.shape
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    NUM_SM = properties.multi_processor_count
    WARP_SIZE = properties.warp_size
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = 8
    num_stages = 4 if BLOCK_SIZE <= 4096 else 2
    occupancy = max(1, 2048 // (num_warps * WARP_SIZE))
    num_programs = min(NUM_SM * occupancy, n_rows)
    y = torch.empty_like(x)
    softmax_kernel[(num_programs, 1, 1)](
        y, x, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE, num_stages, num_warps=num_warps
    )
    return y
