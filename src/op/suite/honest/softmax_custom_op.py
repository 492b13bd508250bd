# op: softmax
# about: a custom op of torch with a fake for its compiler
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, sx, sy, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = c < N
    x = tl.load(x_ptr + row * sx + c, mask=m, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * sy + c, e / tl.sum(e, axis=0), mask=m)


@torch.library.custom_op("mylib::softmax", mutates_args=())
def my_softmax(x: torch.Tensor) -> torch.Tensor:
    M, N = x.shape
    y = torch.empty_like(x)
    kernel[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return y


@my_softmax.register_fake
def _(x):
    return torch.empty_like(x)


def run(x):
    return my_softmax(x)
