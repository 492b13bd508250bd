# op: softmax
# about: online softmax over blocks with one running maximum and sum, then a second pass
# attack: A58
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_online(x_ptr, y_ptr, stride_x, stride_y, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * stride_x
    y_ptr += row.to(tl.int64) * stride_y
    offs = tl.arange(0, BLOCK)
    # a large negative start instead of -inf: a block of nothing but -inf must not give inf - inf
    m = -1.0e30
    s = 0.0
    for i in range(0, tl.cdiv(n_cols, BLOCK)):
        idx = i * BLOCK + offs
        x = tl.load(x_ptr + idx, mask=idx < n_cols, other=float("-inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, 0))
        s = s * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), 0)
        m = m_new
    inv = 1.0 / s
    for i in range(0, tl.cdiv(n_cols, BLOCK)):
        idx = i * BLOCK + offs
        x = tl.load(x_ptr + idx, mask=idx < n_cols, other=float("-inf")).to(tl.float32)
        tl.store(y_ptr + idx, tl.exp(x - m) * inv, mask=idx < n_cols)


def run(x):
    rows, cols = x.shape
    y = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
    softmax_online[(rows,)](x, y, x.stride(0), y.stride(0), cols, BLOCK=1024, num_warps=4)
    return y
