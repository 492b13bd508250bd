# op: add_rmsnorm_rope
# about: norm into a float32 scratch, rotary embedding by a second kernel over half rows
import torch
import triton
import triton.language as tl


@triton.jit
def add_norm(X, R, W, H, stride_x, stride_r, N, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = c < N
    h = tl.load(X + pid * stride_x + c, mask=m, other=0.0).to(tl.float32) + tl.load(
        R + pid * stride_r + c, mask=m, other=0.0
    ).to(tl.float32)
    var = tl.sum(h * h, axis=0) / N
    h = h / tl.sqrt(var + eps) * tl.load(W + c, mask=m, other=0.0).to(tl.float32)
    tl.store(H + pid * N + c, h, mask=m)


@triton.jit
def rotate(H, C, S, Y, stride_c, stride_s, stride_y, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    half = N // 2
    c = tl.arange(0, BLOCK)
    m = c < half
    a = tl.load(H + pid * N + c, mask=m, other=0.0)
    b = tl.load(H + pid * N + c + half, mask=m, other=0.0)
    for part in tl.static_range(2):
        at = c + part * half
        cos = tl.load(C + pid * stride_c + at, mask=m, other=0.0).to(tl.float32)
        sin = tl.load(S + pid * stride_s + at, mask=m, other=0.0).to(tl.float32)
        if part == 0:
            y = a * cos - b * sin
        else:
            y = b * cos + a * sin
        tl.store(Y + pid * stride_y + at, y, mask=m)


def run(x, residual, w, cos, sin):
    M, N = x.shape
    h = torch.empty((M, N), device=x.device, dtype=torch.float32)
    y = torch.empty_like(x)
    add_norm[(M,)](x, residual, w, h, x.stride(0), residual.stride(0), N, 1e-6, BLOCK=triton.next_power_of_2(N))
    rotate[(M,)](h, cos, sin, y, cos.stride(0), sin.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N // 2))
    return y
