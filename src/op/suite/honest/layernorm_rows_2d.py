# op: layernorm
# about: two rows per program unless they are wide, means by a second axis, weights broadcast
import torch
import triton
import triton.language as tl


@triton.jit
def ln_rows(x_ptr, w_ptr, b_ptr, y_ptr, M, N, sx, sy, R: tl.constexpr, C: tl.constexpr):
    rows = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    cols = tl.arange(0, C)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(x_ptr + rows.to(tl.int64) * sx + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=1, keep_dims=True) / N
    d = tl.where(mask, x - mean, 0.0)
    var = tl.sum(d * d, axis=1, keep_dims=True) / N
    w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = d * tl.rsqrt(var + 1e-5) * w + b
    tl.store(y_ptr + rows.to(tl.int64) * sy + cols, y, mask=mask)


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    C = triton.next_power_of_2(N)
    R = 2 if C <= 8192 else 1
    ln_rows[(triton.cdiv(M, R),)](x, w, b, y, M, N, x.stride(0), y.stride(0), R=R, C=C)
    return y
