# op: relu2
# about: truths of sizes are counted with
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.maximum(x, 0.0)
    y = r * r
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    even = N % 16 == 0
    power = not (N & (N - 1))
    tail = bool(N % 128)
    small = all(s < 1024 for s in x.shape)
    warps = 1 << (even + power + tail + small) // 2
    grid = (M, triton.cdiv(N, 1024))
    relu2_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out
