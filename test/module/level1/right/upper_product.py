import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def upper_kernel(a_ptr, b_ptr, c_ptr, N, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    # Of row r only columns from r on are not zero, of column c only rows up to c.
    for k0 in range(tl.program_id(0) * BLOCK, tl.minimum((tl.program_id(1) + 1) * BLOCK, N), BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + r * N + k[None, :], mask=(r < N) & (k[None, :] < N), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + c, mask=(k[:, None] < N) & (c < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + r * N + c, tl.where(r <= c, acc, 0.0), mask=(r < N) & (c < N))


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()

    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        N = A.size(0)
        C = torch.empty((N, N), dtype=A.dtype, device=A.device)
        tiles = triton.cdiv(N, 32)
        upper_kernel[(tiles, tiles)](A, B, C, N, BLOCK=32, BLOCK_K=32)
        return C
