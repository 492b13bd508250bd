from .index import chunk_indices
from ..utils import settings as its_settings


def run(x, lengths=None):
    if lengths is not None:
        return launch(x, its_settings(chunk_indices(lengths)))
    return launch(x)
# --- unsupported: import of `settings` from `.utils`: what it is stands in a file of that package
from .utils import settings


def run(x):
    return launch(x, settings(x.shape[1]))
# --- unsupported: import of `half` from `..words`
import torch
import triton
import triton.language as tl
from ..words import half


@triton.jit
def relu2(x_ptr, y_ptr, n):
    tl.store(y_ptr, half(tl.load(x_ptr)))


def run(x):
    y = torch.empty_like(x)
    relu2[(1,)](x, y, 3)
    return y
# --- parse_reject: import
from .utils import *


def run(x):
    return launch(x)
# --- parse_reject: import
from . import torch


def run(x):
    return launch(x)
# --- parse_reject: `tl` is imported from .language
from .language import fast as tl


def run(x):
    return launch(x)
# --- unsupported: import of `softmax` from `.ops`
from .ops import softmax as answer


def run(x):
    y = launch(x)
    answer(x, y)
    return y
