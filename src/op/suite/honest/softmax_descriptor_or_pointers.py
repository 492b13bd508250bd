# op: softmax
# about: tensor descriptors where strides and addresses are multiples of 16 bytes, plain pointers elsewhere
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def softmax_tma(x_desc, y_desc, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x = x_desc.load([row, 0]).to(tl.float32)
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.where(cols < N, x, float("-inf"))
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    y = e / tl.sum(e, axis=1, keep_dims=True)
    y_desc.store([row, 0], y.to(y_desc.dtype))


@triton.jit
def softmax_plain(x_ptr, y_ptr, sx, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * sy + cols, e / tl.sum(e, axis=0), mask=cols < N)


def fits(t):
    return (t.storage_offset() * t.element_size()) % 16 == 0 and (t.stride(0) * t.element_size()) % 16 == 0 and t.stride(1) == 1


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    BLOCK = max(16, triton.next_power_of_2(N))
    if fits(x) and fits(y) and BLOCK <= 256:
        x_desc = TensorDescriptor.from_tensor(x, [1, BLOCK])
        y_desc = TensorDescriptor.from_tensor(y, [1, BLOCK])
        softmax_tma[(M,)](x_desc, y_desc, N, BLOCK=BLOCK)
    else:
        softmax_plain[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK=BLOCK)
    return y
