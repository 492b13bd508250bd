# op: softmax
# about: programs draw their rows from a counter, in whatever order they come
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, ticket_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.atomic_add(ticket_ptr, 1).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


def run(x):
    M, N = x.shape
    ticket = torch.zeros((1,), device=x.device, dtype=torch.int32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    softmax_kernel[(M,)](x, ticket, y, x.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return y
