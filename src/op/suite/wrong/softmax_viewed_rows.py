# op: softmax
# expect: nan_class
# about: cuts a tile into rows by tl.view, which may change the order of the elements (and does so on a GPU)
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, sx, so, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    flat = tl.arange(0, ROWS * BLOCK)
    row, col = tl.program_id(0) * ROWS + flat // BLOCK, flat % BLOCK
    inside = (row < M) & (col < N)
    x = tl.load(x_ptr + row.to(tl.int64) * sx + col, mask=inside, other=-float("inf")).to(tl.float32)
    x = tl.where(row < M, x, 0.0)
    x = tl.view(x, (ROWS, BLOCK))
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    p = tl.view(e / tl.sum(e, axis=1)[:, None], (ROWS * BLOCK,))
    tl.store(out_ptr + row.to(tl.int64) * so + col, p, mask=inside)


def run(x):
    M, N = x.shape
    out = torch.empty((M, N), dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(M, 2),)](x, out, x.stride(0), out.stride(0), M, N, 2, triton.next_power_of_2(N))
    return out
