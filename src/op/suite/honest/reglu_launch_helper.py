# op: reglu
# about: launch helper
import torch
import triton
import triton.language as tl


@triton.jit
def k(a_ptr, b_ptr, c_ptr, sa, sb, sc, n_cols, BLOCK_SIZE: tl.constexpr):
    row, blk = tl.program_id(0).to(tl.int64), tl.program_id(1)
    off = blk * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = off < n_cols
    a = tl.load(a_ptr + row * sa + off, mask=mask, other=0.0)
    b = tl.load(b_ptr + row * sb + off, mask=mask, other=0.0)
    tl.store(c_ptr + row * sc + off, tl.where(a > 0, a.to(tl.float32) * b.to(tl.float32), 0.0), mask=mask)


def _launch(fn, grid, *args, **meta):
    fn[grid](*args, **meta)


def run(gate, up):
    M, N = gate.shape
    out = torch.empty_like(gate)
    BLOCK = min(1024, triton.next_power_of_2(N))
    _launch(k, (M, triton.cdiv(N, BLOCK)), gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, BLOCK_SIZE=BLOCK, num_warps=4)
    return out
