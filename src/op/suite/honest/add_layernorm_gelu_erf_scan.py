# op: add_layernorm_gelu_erf
# about: Welford's triple as an associative scan of which only the last lane is used
import torch
import triton
import triton.language as tl


@triton.jit
def combine(na, ma, sa, nb, mb, sb):
    n = na + nb
    d = mb - ma
    f = nb / tl.maximum(n, 1.0)
    return n, ma + d * f, sa + sb + d * d * na * f


@triton.jit
def ln_scan(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, sx, sr, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    mask = i < N
    h = tl.load(x_ptr + row * sx + i, mask=mask, other=0.0).to(tl.float32)
    h += tl.load(r_ptr + row * sr + i, mask=mask, other=0.0).to(tl.float32)
    ones = tl.where(mask, 1.0, 0.0)
    n, means, m2 = tl.associative_scan((ones, h, tl.zeros_like(h)), 0, combine)
    last = i == BLOCK - 1
    mean = tl.sum(tl.where(last, means, 0.0), axis=0)
    var = tl.sum(tl.where(last, m2, 0.0), axis=0) / N
    w = tl.load(w_ptr + i, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + i, mask=mask, other=0.0).to(tl.float32)
    z = (h - mean) * tl.rsqrt(var + 1e-5) * w + b
    tl.store(y_ptr + row * sy + i, 0.5 * z * (1.0 + tl.erf(z * 0.7071067811865476)), mask=mask)


def run(x, residual, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    ln_scan[(M,)](
        x, residual, w, b, y, x.stride(0), residual.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N)
    )
    return y
