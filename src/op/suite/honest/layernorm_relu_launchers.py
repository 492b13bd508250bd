# op: layernorm_relu
# about: objects that launch, kept by functools, with cached properties
from abc import ABC, abstractmethod
from functools import cached_property, lru_cache, partial, reduce, singledispatch, wraps
import operator
import typing as t

import torch
import triton
import triton.language as tl


def contiguous_args(fn):
    @wraps(fn)
    def wrapper(*args, **kwargs):
        args = [a.contiguous() if torch.is_tensor(a) else a for a in args]
        kwargs = {k: (v.contiguous() if torch.is_tensor(v) else v) for k, v in kwargs.items()}
        return fn(*args, **kwargs)
    return wrapper


@triton.jit
def ln_relu(x, w, b, y, n: tl.constexpr, eps: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * n
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r + c, mask=c < n, other=0.).to(tl.float32)
    mu = tl.sum(v, 0) / n
    d = tl.where(c < n, v - mu, 0.)
    var = tl.sum(d * d, 0) / n
    o = d * tl.rsqrt(var + eps) * tl.load(w + c, mask=c < n, other=0.) + tl.load(b + c, mask=c < n, other=0.)
    tl.store(y + r + c, tl.maximum(o, 0.), mask=c < n)


class Launcher(ABC):
    __slots__ = ("n", "__dict__")

    def __init__(self, n: int):
        self.n = n

    @cached_property
    def block(self) -> int:
        return triton.next_power_of_2(self.n)

    @property
    def warps(self) -> int:
        return 4 if self.block < 2048 else 8

    @abstractmethod
    def __call__(self, *tensors):
        ...

    def __repr__(self):
        return f"{type(self).__name__}(n={self.n})"


class LayerNormRelu(Launcher):
    EPS: t.ClassVar[float] = 1e-5

    def __call__(self, x, w, b):
        y = torch.empty_like(x)
        rows = reduce(operator.mul, x.shape[:-1], 1)
        ln_relu[(rows,)](x, w, b, y, self.n, self.EPS, self.block, num_warps=self.warps)
        return y


@lru_cache(maxsize=None)
def launcher(n: int) -> Launcher:
    return LayerNormRelu(n)


@contiguous_args
def run(x, w, b):
    return launcher(x.shape[-1])(x, w, b)
