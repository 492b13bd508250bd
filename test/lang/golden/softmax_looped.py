# functions: softmax_kernel run
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr,          # both [M, N]
    stride_x, stride_y,
    n_cols,
    BLOCK: tl.constexpr,
):
    """Online softmax: one pass for the maximum and the sum,
    a second one for the result.

    Works for rows of any length — even "wide" ones.
    """
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride_x
    y_ptr += row * stride_y
    m_i = tl.full([BLOCK], float('-inf'), tl.float32)
    l_i = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m_i, x)
        l_i = l_i * tl.where(m_i == -float("inf"), 0.0, tl.exp(m_i - m_new)) \
            + tl.where(mask, tl.exp(x - m_new), 0.0)
        m_i = m_new
    m = tl.max(m_i, axis=0)
    l = tl.sum(l_i * tl.exp(m_i - m), 0)  # σ of the row
    for start in tl.range(0, n_cols, BLOCK, num_stages=2):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + cols, mask=mask, other=0.).to(tl.float32)
        tl.store(y_ptr + cols, tl.exp(x - m) / l, mask=mask)


def run(x):
    assert x.dim() == 2, f"expected 2 dimensions, got {x.dim()}"
    m, n = x.shape
    y = torch.empty((m, n), device=x.device, dtype=x.dtype)
    grid = lambda META: (m, )
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n, BLOCK=1024)
    return y
