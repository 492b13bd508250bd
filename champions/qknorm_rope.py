import torch
import triton
import triton.language as tl


@triton.jit
def qknorm_rope_kernel(x_ptr, w_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    rows = rows.to(tl.int64)
    cols = tl.arange(0, BLOCK)[None, :]
    col_mask = cols < N
    mask = row_mask & col_mask
    x = tl.load(x_ptr + rows * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = tl.sum(tl.where(col_mask, x * x, 0.0), axis=1)[:, None]
    inv = 1.0 / N
    rstd = tl.rsqrt(total * inv + 1e-06)
    w = tl.load(w_ptr + cols, mask=col_mask, other=0.0).to(tl.float32)
    v = x * rstd * w
    cos = tl.load(cos_ptr + rows * cos_stride + cols, mask=mask, other=0.0).to(tl.float32)
    half = N // 2
    left = cols < half
    src = tl.where(left, cols + half, cols - half)
    x2 = tl.load(x_ptr + rows * x_stride + src, mask=mask, other=0.0).to(tl.float32)
    w2 = tl.load(w_ptr + src, mask=col_mask, other=0.0).to(tl.float32)
    v2 = x2 * rstd * w2
    sin = tl.load(sin_ptr + rows * sin_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + rows * out_stride + cols, v * cos + tl.where(left, -v2, v2) * sin, mask=mask)


def run(x, w, cos, sin):
    M, N = x.shape
    out = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(N)
    ROWS = max(1, min(2048 // BLOCK, triton.next_power_of_2(M) // 512))
    qknorm_rope_kernel[(triton.cdiv(M, ROWS),)](x, w, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), M, N, ROWS=ROWS, BLOCK=BLOCK, num_warps=min(16, max(1, ROWS * BLOCK // 256)))
    return out
