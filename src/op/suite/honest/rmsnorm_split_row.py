# op: rmsnorm
# about: a row split over programs: partial sums of squares in scratch, then a second launch
# attack: A63
import torch
import triton
import triton.language as tl


@triton.jit
def partial_squares(x_ptr, part_ptr, x_stride, parts, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(part_ptr + row * parts + part, tl.sum(x * x, axis=0))


@triton.jit
def scale_rows(x_ptr, w_ptr, part_ptr, y_ptr, x_stride, y_stride, parts, N, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    slot = tl.arange(0, PARTS)
    squares = tl.load(part_ptr + row * parts + slot, mask=slot < parts, other=0.0)
    r = tl.rsqrt(tl.sum(squares, axis=0) / N + 1e-6)
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * y_stride + cols, x * r * w, mask=mask)


def run(x, w):
    M, N = x.shape
    BLOCK = 2048
    parts = triton.cdiv(N, BLOCK)
    scratch = torch.empty((M, parts), device=x.device, dtype=torch.float32)
    y = torch.empty_like(x)
    partial_squares[(M, parts)](x, scratch, x.stride(0), parts, N, BLOCK=BLOCK)
    scale_rows[(M, parts)](
        x, w, scratch, y, x.stride(0), y.stride(0), parts, N, PARTS=triton.next_power_of_2(parts), BLOCK=BLOCK
    )
    return y
