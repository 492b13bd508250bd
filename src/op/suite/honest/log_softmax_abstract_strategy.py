# op: log_softmax
# about: an abstract class and the one that derives from it
from abc import ABC, abstractmethod
from dataclasses import dataclass
import torch
import triton
import triton.language as tl


@triton.jit
def lsm_kernel(x_ptr, y_ptr, sx, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + c, mask=c < n, other=float("-inf")).to(tl.float32)
    z = x - tl.max(x, axis=0)
    tl.store(y_ptr + row * n + c, z - tl.log(tl.sum(tl.exp(z), axis=0)), mask=c < n)


class Strategy(ABC):
    @abstractmethod
    def block(self, n: int) -> int:
        ...

    @abstractmethod
    def warps(self, n: int) -> int: ...


class RowStrategy(Strategy):
    def block(self, n: int) -> int:
        return triton.next_power_of_2(n)

    def warps(self, n: int) -> int:
        return 4 if n < 2048 else 8 if n < 8192 else 16


def run(x):
    s = RowStrategy()
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    lsm_kernel[(m,)](x, y, x.stride(0), n, BLOCK=s.block(n), num_warps=s.warps(n))
    return y
