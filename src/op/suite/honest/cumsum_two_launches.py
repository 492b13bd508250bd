# op: cumsum
# about: block totals into scratch, then every block adds the totals before it
import torch
import triton
import triton.language as tl


@triton.jit
def block_totals(x_ptr, t_ptr, sx, blocks, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    b = tl.program_id(1)
    cols = b * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(t_ptr + row * blocks + b, tl.sum(x, axis=0))


@triton.jit
def block_scan(x_ptr, t_ptr, y_ptr, sx, sy, blocks, N, BLOCKS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    b = tl.program_id(1)
    before = tl.arange(0, BLOCKS)
    carry = tl.sum(tl.load(t_ptr + row * blocks + before, mask=before < b, other=0.0), axis=0)
    cols = b * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * sy + cols, tl.cumsum(x, axis=0) + carry, mask=mask)


def run(x):
    M, N = x.shape
    BLOCK = 1024
    blocks = triton.cdiv(N, BLOCK)
    totals = torch.empty((M, blocks), device=x.device, dtype=torch.float32)
    y = torch.empty_like(x)
    block_totals[(M, blocks)](x, totals, x.stride(0), blocks, N, BLOCK=BLOCK)
    block_scan[(M, blocks)](x, totals, y, x.stride(0), y.stride(0), blocks, N, BLOCKS=triton.next_power_of_2(blocks), BLOCK=BLOCK)
    return y
