from functools import cached_property, lru_cache, reduce
import operator
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


class Launcher:
    def __init__(self, n):
        self.n = n

    @cached_property
    def block(self):
        return min(triton.next_power_of_2(self.n), 256)

    def __repr__(self):
        return f"{type(self).__name__}({self.n})"

    def __call__(self, x):
        rows = reduce(operator.mul, x.shape[:-1], 1)
        y = torch.empty(torch.broadcast_shapes(x.shape, (1, self.n)), dtype=torch.promote_types(x.dtype, torch.float16), device=x.device)
        relu2[(rows, triton.cdiv(self.n, self.block))](x, y, x.stride(0), self.n, BLOCK=self.block)
        return y


@lru_cache(maxsize=None)
def launcher(n):
    return Launcher(n)


def run(x):
    if not torch.is_tensor(x):
        raise TypeError("a tensor")
    return launcher(x.shape[-1])(x)
# --- parse_reject: cached_property
from functools import cached_property


class Buffers:
    @cached_property
    def y(self):
        return torch.empty((3, 300), device="cuda")


def run(x):
    return Buffers().y
# --- unsupported: functools
from functools import lru_cache


class Size:
    def __init__(self, n):
        self.n = n


@lru_cache
def size(n):
    return Size(n)


def run(x):
    table = {size(3): 256}
    return launch(x, table[size(3)])
