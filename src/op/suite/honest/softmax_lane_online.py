# op: softmax
# about: every lane keeps its own running maximum and sum; merged once at the end
import torch
import triton
import triton.language as tl


@triton.jit
def _softmax_fwd(
    X,
    Y,
    x_row_stride,
    y_row_stride,
    N,
    BLOCK_N: tl.constexpr,
):
    pid = tl.program_id(0)
    X = X + pid.to(tl.int64) * x_row_stride
    Y = Y + pid.to(tl.int64) * y_row_stride
    lane = tl.arange(0, BLOCK_N)
    m_lane = tl.full([BLOCK_N], -1e30, dtype=tl.float32)
    l_lane = tl.zeros([BLOCK_N], dtype=tl.float32)
    for off in range(0, N, BLOCK_N):
        cols = off + lane
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        m_next = tl.maximum(m_lane, x)
        l_lane = l_lane * tl.exp(m_lane - m_next) + tl.exp(x - m_next)
        m_lane = m_next
    m = tl.max(m_lane, axis=0)
    l = tl.sum(l_lane * tl.exp(m_lane - m), axis=0)
    for off in range(0, N, BLOCK_N):
        cols = off + lane
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - m) / l
        tl.store(Y + cols, y.to(Y.dtype.element_ty), mask=mask)


def run(x: torch.Tensor) -> torch.Tensor:
    M, N = x.shape
    y = torch.empty_like(x)
    _softmax_fwd[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK_N=512, num_warps=8)
    return y
