# op: softmax
# about: two launches; the first leaves maximum and sum of each row in scratch buffers
# attack: A67
import torch
import triton
import triton.language as tl


@triton.jit
def row_stats(x_ptr, max_ptr, sum_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        x = tl.load(x_ptr + row * stride + start + cols, mask=start + cols < N, other=float("-inf"))
        best = tl.maximum(best, x.to(tl.float32))
    m = tl.max(best, axis=0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        x = tl.load(x_ptr + row * stride + start + cols, mask=start + cols < N, other=float("-inf"))
        total += tl.exp(x.to(tl.float32) - m)
    tl.store(max_ptr + row, m)
    tl.store(sum_ptr + row, tl.sum(total, axis=0))


@triton.jit
def normalise(x_ptr, max_ptr, sum_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    m = tl.load(max_ptr + row)
    total = tl.load(sum_ptr + row)
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * y_stride + cols, tl.exp(x - m) / total, mask=mask)


def run(x):
    M, N = x.shape
    BLOCK = 1024
    row_max = torch.empty((M,), device=x.device, dtype=torch.float32)
    row_sum = torch.empty((M,), device=x.device, dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    row_stats[(M,)](x, row_max, row_sum, x.stride(0), N, BLOCK=BLOCK)
    normalise[(M, triton.cdiv(N, BLOCK))](x, row_max, row_sum, y, x.stride(0), y.stride(0), N, BLOCK=BLOCK)
    return y
