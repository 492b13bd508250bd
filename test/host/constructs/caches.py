from collections import OrderedDict
import functools

_order = []
_blocks = OrderedDict()
_hits = {}


@functools.lru_cache(maxsize=None)
def settings(n):
    return {"BLOCK": min(512, triton.next_power_of_2(n))}


def block_of(n):
    if n in _blocks:
        _blocks.move_to_end(n)
    else:
        _blocks[n] = settings(n)["BLOCK"]
        while len(_blocks) > 2:
            _blocks.popitem(last=False)
    _hits[n] = _hits.pop(n, 0) + 1
    for k in list(_hits):
        if k != n:
            del _hits[k]
    _order.append(n)
    if len(_order) > 3:
        _order.clear()
    return _blocks[next(reversed(_blocks))]


def run(x):
    return launch(x, block_of(x.shape[1]))
# --- incorrect: call
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.answers = {}

    def forward(self, x):
        if x.shape not in self.answers:
            if len(self.answers) > 2:
                del self.answers[next(iter(self.answers))]
            m, n = x.shape
            y = torch.empty((m, n), dtype=x.dtype, device=x.device)
            relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
            self.answers[x.shape] = y
        return self.answers[x.shape]
# --- parse_reject: copy it, then change the copy
import functools


@functools.cache
def table(n):
    return {"BLOCK": 256}


def run(x):
    t = table(1)
    t["BLOCK"] = t["BLOCK"] // 2
    return launch(x, 256)
# --- host_error: KeyError
_blocks = {}


def run(x):
    del _blocks[x.shape[1]]
    return launch(x)
# --- parse_reject: it steps through
def run(x):
    it = iter((64, 128))
    return launch(x, next(it))
