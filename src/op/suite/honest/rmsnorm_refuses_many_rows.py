# op: rmsnorm
# about: rows along the second axis of the grid, and a ValueError where that ends
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / N + 1e-6) * w
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, w):
    M, N = x.shape
    if M > 65535:
        raise ValueError(f"at most 65535 rows, not {M}")
    out = torch.empty_like(x)
    kernel[(1, M)](x, w, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
