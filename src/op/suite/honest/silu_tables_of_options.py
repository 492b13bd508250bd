# op: silu
# about: numbers of warps and blocks from tables by capability, row length and shape, some of whose entries hardly come; a table that is kept by device
import torch
import triton
import triton.language as tl

WARPS = {(7, 0): 8, (7, 5): 8, (8, 0): 4, (8, 6): 4, (9, 0): 8, (10, 0): 8}
BLOCKS = {1024: 512, 2048: 1024, 4096: 1024, 8192: 2048}
SHAPES = {(4096, 4096): 2, (131072, 32000): 4, (131072, 65536): 8}
PROCESSORS = {}


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for at in range(tl.program_id(1) * BLOCK, N, tl.num_programs(1) * BLOCK):
        cols = at + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, x * tl.sigmoid(x), mask=mask)


def run(x):
    M, N = x.shape
    device = torch.cuda.current_device()
    if device not in PROCESSORS:
        PROCESSORS[device] = torch.cuda.get_device_properties(device).multi_processor_count
    out = torch.empty_like(x)
    block = BLOCKS.get(triton.next_power_of_2(N), 256)
    parts = min(triton.cdiv(N, block), SHAPES.get((M, N), 1) + PROCESSORS[device] // 64)
    silu_kernel[(M, parts)](
        x, out, x.stride(0), out.stride(0), N, BLOCK=block, num_warps=WARPS.get(torch.cuda.get_device_capability(), 4)
    )
    return out
