# op: layernorm_square
# about: two half tiles per row in separate registers, joined only for the sums by tl.cat
import torch
import triton
import triton.language as tl


@triton.jit
def ln_square(x_ptr, w_ptr, b_ptr, y_ptr, sx, sy, N, HALF: tl.constexpr):
    pid = tl.program_id(0)
    x_row = x_ptr + tl.cast(pid, tl.int64) * sx
    y_row = y_ptr + tl.cast(pid, tl.int64) * sy
    left = tl.arange(0, HALF)
    right = HALF + tl.arange(0, HALF)
    a = tl.cast(tl.load(x_row + left, mask=left < N, other=0.0), tl.float32)
    b = tl.cast(tl.load(x_row + right, mask=right < N, other=0.0), tl.float32)
    mean = tl.sum(tl.cat(a, b, can_reorder=True), axis=0) / N
    a = tl.where(left < N, a - mean, 0.0)
    b = tl.where(right < N, b - mean, 0.0)
    var = tl.sum(tl.cat(a * a, b * b, can_reorder=True), axis=0) / N
    rstd = tl.rsqrt(var + 1e-5)
    wa = tl.load(w_ptr + left, mask=left < N, other=0.0).to(tl.float32)
    ba = tl.load(b_ptr + left, mask=left < N, other=0.0).to(tl.float32)
    a = a * rstd * wa + ba
    tl.store(y_row + left, a * a, mask=left < N)
    wb = tl.load(w_ptr + right, mask=right < N, other=0.0).to(tl.float32)
    bb = tl.load(b_ptr + right, mask=right < N, other=0.0).to(tl.float32)
    b = b * rstd * wb + bb
    tl.store(y_row + right, b * b, mask=right < N)


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    ln_square[(M,)](x, w, b, y, x.stride(0), y.stride(0), N, HALF=max(2, triton.next_power_of_2(N)) // 2)
    return y
