# op: softmax
# expect: race
# about: the programs of a row add their sums up with atomics and read the total in the same launch
import torch
import triton
import triton.language as tl


@triton.jit
def row_max(x_ptr, max_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    tl.store(max_ptr + row, tl.max(x, axis=0))


@triton.jit
def normalise(x_ptr, max_ptr, sum_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.load(max_ptr + row))
    tl.atomic_add(sum_ptr + row, tl.sum(e, axis=0))
    tl.debug_barrier()
    tl.store(y_ptr + row * y_stride + cols, e / tl.load(sum_ptr + row), mask=cols < N)


def run(x):
    M, N = x.shape
    row_max_out = torch.empty((M,), device=x.device, dtype=torch.float32)
    total = torch.zeros((M,), device=x.device, dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    row_max[(M,)](x, row_max_out, x.stride(0), N, BLOCK=triton.next_power_of_2(N))
    normalise[(M, triton.cdiv(N, 64))](x, row_max_out, total, y, x.stride(0), y.stride(0), N, BLOCK=64)
    return y
