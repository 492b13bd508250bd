# op: softmax
# about: reads back what other threads of the program have stored, after a barrier
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, scratch_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    total = tl.sum(e, axis=0)
    tl.store(scratch_ptr + row * N + cols, e, mask=cols < N)
    tl.debug_barrier()
    for start in range(0, N, STEP):
        part = start + tl.arange(0, STEP)
        again = tl.load(scratch_ptr + row * N + part, mask=part < N, other=0.0)
        tl.store(y_ptr + row * y_stride + part, again / total, mask=part < N)


def run(x):
    M, N = x.shape
    scratch = torch.empty((M, N), device=x.device, dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    BLOCK = triton.next_power_of_2(N)
    softmax_kernel[(M,)](x, scratch, y, x.stride(0), y.stride(0), N, BLOCK=BLOCK, STEP=max(BLOCK // 2, 1))
    return y
