# op: add_rmsnorm
# about: keeps a copy of the residual, and takes rows anew where they have changed
import torch
import triton
import triton.language as tl


@triton.jit
def add_rmsnorm_kernel(x_ptr, residual_ptr, w_ptr, out_ptr, x_stride, residual_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    residual_row = residual_ptr + row * residual_stride
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        h += tl.load(residual_row + cols, mask=mask, other=0.0).to(tl.float32)
        squares += h * h
    scale = tl.rsqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        h = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        h += tl.load(residual_row + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        y = h * scale * w
        # epilogue
        tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def right(x, residual, w):
    M, N = x.shape
    out = torch.empty_like(x)
    add_rmsnorm_kernel[(M,)](x, residual, w, out, x.stride(0), residual.stride(0), out.stride(0), N, BLOCK=1024)
    return out


@triton.jit
def changed_kernel(x_ptr, kept_ptr, flag_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    k = tl.load(kept_ptr + row * N + cols, mask=mask, other=0.0)
    tl.store(flag_ptr + row, tl.max((x.to(tl.int32, bitcast=True) != k.to(tl.int32, bitcast=True)).to(tl.int32), axis=0))
    tl.store(kept_ptr + row * N + cols, x, mask=mask)


@triton.jit
def copy_kernel(x_ptr, kept_ptr, flag_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    if tl.load(flag_ptr + row) != 0:
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        tl.store(kept_ptr + row * N + cols, tl.load(x_ptr + row * x_stride + cols, mask=mask), mask=mask)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.key = None

    def forward(self, x, residual, w):
        M, N = residual.shape
        key = (M, N, residual.dtype)
        if key != self.key:
            self.key = key
            self.kept = torch.full((M, N), float("nan"), dtype=torch.float32, device=residual.device)
            self.copy = torch.zeros((M, N), dtype=residual.dtype, device=residual.device)
            self.flag = torch.zeros(M, dtype=torch.int32, device=residual.device)
        B = triton.next_power_of_2(N)
        changed_kernel[(M,)](residual, self.kept, self.flag, residual.stride(0), N, BLOCK=B)
        copy_kernel[(M,)](residual, self.copy, self.flag, residual.stride(0), N, BLOCK=B)
        return right(x, self.copy, w)
