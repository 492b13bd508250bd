# op: rope
# about: blocks by width in a dictionary that KeyError fills, under a guard of the file
from __future__ import annotations
import contextlib
import dataclasses
import time
import typing as t
import torch
import triton
import triton.language as tl


@dataclasses.dataclass
class LaunchConfig:
    block: int
    warps: int = 4


@contextlib.contextmanager
def device_guard(x: torch.Tensor):
    with torch.cuda.device(x.device):
        yield


@triton.jit
def rope_fwd(x, cos, sin, out, sx, sc, ss, D, HALF_BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    half = D // 2
    i = tl.arange(0, HALF_BLOCK)
    m = i < half
    x1 = tl.load(x + row * sx + i, mask=m, other=0.0).to(tl.float32)
    x2 = tl.load(x + row * sx + half + i, mask=m, other=0.0).to(tl.float32)
    c1 = tl.load(cos + row * sc + i, mask=m, other=0.0).to(tl.float32)
    c2 = tl.load(cos + row * sc + half + i, mask=m, other=0.0).to(tl.float32)
    s1 = tl.load(sin + row * ss + i, mask=m, other=0.0).to(tl.float32)
    s2 = tl.load(sin + row * ss + half + i, mask=m, other=0.0).to(tl.float32)
    tl.store(out + row * D + i, x1 * c1 - x2 * s1, mask=m)
    tl.store(out + row * D + half + i, x2 * c2 + x1 * s2, mask=m)


class RotaryEmbedding:
    """Caches launch configurations by head dimension."""

    _configs: t.Dict[int, tuple] = {}

    def config(self, d: int) -> tuple:
        try:
            return self._configs[d]
        except KeyError:
            block = triton.next_power_of_2(d // 2)
            self._configs[d] = (block, 4)
            return self._configs[d]

    def __call__(self, x, cos, sin):
        m, d = x.shape
        out = torch.empty((m, d), dtype=x.dtype, device=x.device)
        block, warps = self.config(d)
        with device_guard(x):
            rope_fwd[(m,)](x, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), d, HALF_BLOCK=block, num_warps=warps)
        return out


_rope = RotaryEmbedding()


def run(x, cos, sin):
    return _rope(x, cos, sin)
