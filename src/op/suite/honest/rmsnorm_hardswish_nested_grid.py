# op: rmsnorm_hardswish
# about: two launches through a helper that takes the kernel itself, grids from a closure
import torch
import triton
import triton.language as tl


@triton.jit
def inverse_rms(x_ptr, r_ptr, w_ptr, y_ptr, N, sx, sy, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, tl.cdiv(N, BLOCK)):
        c = k * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + row.to(tl.int64) * sx + c, mask=c < N, other=0.0).to(tl.float32)
        acc += v * v
    tl.store(r_ptr + row, tl.rsqrt(tl.sum(acc, 0) / N + 1e-6))


@triton.jit
def hardswish_scaled(x_ptr, r_ptr, w_ptr, y_ptr, N, sx, sy, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = c < N
    h = tl.load(x_ptr + row.to(tl.int64) * sx + c, mask=m, other=0.0).to(tl.float32) * tl.load(r_ptr + row)
    h *= tl.load(w_ptr + c, mask=m, other=0.0).to(tl.float32)
    gate = tl.where(h <= -3.0, 0.0, tl.where(h >= 3.0, 1.0, h / 6.0 + 0.5))
    tl.store(y_ptr + row.to(tl.int64) * sy + c, h * gate, mask=m)


def launch(kernel, per_column, tensors, N, **meta):
    x, r, w, y = tensors

    def grid(meta):
        return (x.shape[0], triton.cdiv(N, meta["BLOCK"]) if per_column else 1)

    kernel[grid](x, r, w, y, N, x.stride(0), y.stride(0), **meta)


def run(x, w):
    M, N = x.shape
    r = torch.empty((M,), dtype=torch.float32, device=x.device)
    y = torch.empty_like(x)
    for kernel, per_column in ((inverse_rms, False), (hardswish_scaled, True)):
        launch(kernel, per_column, [x, r, w, y], N, BLOCK=512)
    return y
