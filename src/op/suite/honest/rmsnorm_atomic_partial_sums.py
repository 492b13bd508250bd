# op: rmsnorm
# about: a row split over programs that add their part of the sum with atomics to zeros; a second launch scales
# attack: A62 A63
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, sum_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(sum_ptr + row, tl.sum(x * x, axis=0))


@triton.jit
def scale_kernel(x_ptr, w_ptr, sum_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.load(sum_ptr + row) / N + 1e-6)
    tl.store(out_ptr + row * out_stride + cols, x * r * w, mask=mask)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    sums = torch.zeros((M,), device=x.device, dtype=torch.float32)
    grid = (M, triton.cdiv(N, 1024))
    sum_kernel[grid](x, sums, x.stride(0), N, BLOCK=1024)
    scale_kernel[grid](x, w, sums, out, x.stride(0), out.stride(0), N, BLOCK=1024)
    return out
