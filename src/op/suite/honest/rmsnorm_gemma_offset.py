# op: rmsnorm_gemma
# about: one kernel for both conventions, the weight's offset as an argument, casts as Gemma does them
import torch
import triton
import triton.language as tl


@triton.jit
def _rms_norm_forward(
    Y, Y_row_stride, X, X_row_stride, W, n_cols, eps, offset,
    casting_mode: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    """
    y = x / RMS(x) * (offset + w), RMS(x) = sqrt(mean(x^2) + eps)
    casting_mode 0 multiplies in the input's type, 1 in float32
    """
    row_idx = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK_SIZE)
    mask = offs < n_cols
    X_row = tl.load(X + row_idx * X_row_stride + offs, mask=mask, other=0)
    X_row_dtype = X_row.dtype
    W_row = tl.load(W + offs, mask=mask, other=0)
    X_row = X_row.to(tl.float32)
    mean_square = tl.sum(X_row * X_row, axis=0) / n_cols
    rstd = tl.rsqrt(mean_square + eps)
    X_row = X_row * rstd
    if casting_mode == 0:
        X_row = X_row.to(X_row_dtype)
    else:
        W_row = W_row.to(tl.float32)
    Y_row = X_row * (offset + W_row)
    if casting_mode == 1:
        Y_row = Y_row.to(X_row_dtype)
    tl.store(Y + row_idx * Y_row_stride + offs, Y_row, mask=mask)


def run(x, w):
    assert x.shape[1] == w.shape[0], f"Incompatible dimensions: {x.shape[1]} and {w.shape[0]}"
    casting = {"llama": 0, "gemma": 1}
    n_rows, n_cols = x.shape
    Y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    _rms_norm_forward[(n_rows,)](
        Y, Y.stride(0), x, x.stride(0), w, n_cols, 1e-6, 1.0,
        casting_mode=casting["gemma"],
        BLOCK_SIZE=BLOCK_SIZE,
        num_warps=min(max(BLOCK_SIZE // 256, 4), 16),
    )
    return Y
