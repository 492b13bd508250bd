# functions: pick agen helper run
# Host code far beyond what a candidate may do: all of it must parse, so that refusals can name it.
from __future__ import annotations
import os, sys as system
import triton.language as tl
from . import sibling
from ..pkg.mod import (a as b, c,)
from typing import *
global_count: int = 0


def pick(x, /, y, z=3, *rest, key, opt=None, **more):
    global global_count
    global_count += 1
    del rest, more["key"]
    first, *middle, last = [*range(3), x]
    (p, [q, *r]), s = (1, [2, 3]), {1, *middle}
    d = {"a": 1, **{"b": 2}, 'c': (yield)}
    while (n := len(s)) > 0 and n < 10 or not s:
        s.pop()
        if n == 5: continue
        elif n == 6: break
    else:
        pass
    try:
        assert 0 < x <= y != z, f"{x!r:>{key}} is {'odd'} {x:0{y}.{z}f} {{literal}} {y=} {z = !s}"
    except (ValueError, KeyError) as err:
        raise RuntimeError("bad" " " 'news') from err
    except Exception:
        raise
    else:
        x = y if z else -x ** -2
    finally:
        x @= y; x //= 2; x **= 3; x >>= 1; x <<= 1; x &= 7; x |= 8; x ^= 1; x %= 5
    return lambda *a, k=1, **kw: (yield a, kw)


async def agen(source, sink):
    async with source as s, sink.open() as (t, u):
        async for item in s:
            await t.put(item)
        values = [await i async for i in s if i if i > 1]
    yield values


def helper(fn=lambda: ..., *, table={k: v for k, v in zip("ab", (1, 2))}, odd={x for x in range(9) if x % 2}):
    def inner():
        nonlocal fn
        fn = None
        yield from (i for i in [1, 2])
    with open(os.devnull) as f, (yield):
        pass
    with (
        open("a") as f,
        open("b"),
    ):
        pass
    print(b"bytes\x00\xff", r"\raw", u'unicode \u00e9', rb'\x', sep="")
    return inner(), fn is not None, 1 not in table, not (1 in odd) is True


@helper()
class Meta(type, metaclass=abc.ABCMeta, **{}):
    x: int
    y: "str" = '''triple
quoted "text"'''

    @property
    def z(self) -> list[int]: return [i for i in range(10)][::2][1:-1:1]


def run(x, w):
    t = x[..., None, 1:, :-1, ::2, a:b:c]; t[0] = t[1,] = t[(1, 2)]
    t.a.b[c](d)(e).f = 0x_ff + 0b1010 + 0o17 + 1_000 + .5e-3 + 10. + 1E5 + 0xFFFFFFFF + 123456789012345678901234567890
    return (t if w else x), *[], (lambda: 0)()
