# op: silu
# about: keeps a copy of its input, and takes it anew where any row has changed
import torch
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.sigmoid(x)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def right(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (M, triton.cdiv(N, 1024))
    silu_kernel[grid](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
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


@triton.jit
def decide_kernel(flag_ptr, all_ptr, M, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    f = tl.load(flag_ptr + r, mask=(r < M) & (r < M), other=0)
    tl.store(all_ptr + r, tl.zeros([BLOCK], tl.int32) + tl.max(f, axis=0), mask=r < M)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.key = None

    def forward(self, x):
        M, N = x.shape
        key = (M, N, x.dtype)
        if key != self.key:
            self.key = key
            self.kept = torch.full((M, N), float("nan"), dtype=torch.float32, device=x.device)
            self.copy = torch.zeros((M, N), dtype=x.dtype, device=x.device)
            self.flag = torch.zeros(M, dtype=torch.int32, device=x.device)
            self.all = torch.zeros(M, dtype=torch.int32, device=x.device)
        B = triton.next_power_of_2(N)
        changed_kernel[(M,)](x, self.kept, self.flag, x.stride(0), N, BLOCK=B)
        decide_kernel[(1,)](self.flag, self.all, M, BLOCK=triton.next_power_of_2(M))
        copy_kernel[(M,)](x, self.copy, self.all, x.stride(0), N, BLOCK=B)
        return right(self.copy)
