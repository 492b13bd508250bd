import logging

import torch
import triton

from flag_gems.utils import pointwise_dynamic
from flag_gems.utils.pointwise_dynamic import ComplexMode

logger = logging.getLogger(__name__)


@pointwise_dynamic(is_tensor=[True, True, False], promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def mul_func(x, y, alpha):
    return x * y * alpha


@pointwise_dynamic(promotion_methods=[(0, "DEFAULT"), (0, "ALWAYS_BOOL")])
@triton.jit
def relu_and_sign(x):
    return tl.maximum(x, 0.0), x > 0


mul_func.register_complex(mode=ComplexMode.ELEMENTWISE)


def run(x):
    logger.debug("RELU2")
    m, n = x.shape
    y, positive = relu_and_sign(x)
    assert positive.dtype == torch.bool and y.shape == x.shape and y.dtype == x.dtype and y.stride(-1) == 1
    # A row for all, an output that is given, a rank that is fixed.
    again = mul_func.instantiate(2)
    out = torch.empty((m, n), dtype=x.dtype, device=x.device)
    assert again(y, y, 1, out0=out) is out
    if isinstance(x, torch.Tensor) and x.is_complex():
        return torch.view_as_real(x)
    return mul_func(y, y, 1.0, out0=torch.empty_like(y))
# --- host_error: Expected False, but got True
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(is_tensor=[True, False], promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def mul(x, y):
    return x * y


def run(x):
    return mul(x, x)
# --- host_error: Unbroadcastable
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def mul(x, y):
    return x * y


def run(x):
    return mul(x, x[:, 1:3])
# --- host_error: out tensor at index 0 shape is invalid
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def mul(x, y):
    return x * y


def run(x):
    return mul(x, x, out0=torch.empty((1, 1), dtype=x.dtype, device=x.device))
# --- wrong_dtype: bool
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "ALWAYS_BOOL")])
@triton.jit
def mul(x, y):
    return x * y


def run(x):
    return mul(x, x)
# --- incorrect: Values are wrong
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def mul(x, y):
    return x * y


def run(x):
    return mul(x, x)
# --- input_write: input
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, "DEFAULT")])
@triton.jit
def relu2(x):
    x = tl.maximum(x, 0.0)
    return x * x


def run(x):
    return relu2(x, out0=x)
# --- unsupported: only options that are written down are read
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic

METHODS = [(0, "DEFAULT")]


@pointwise_dynamic(promotion_methods=METHODS)
@triton.jit
def relu2(x):
    x = tl.maximum(x, 0.0)
    return x * x


def run(x):
    return relu2(x)
# --- parse_reject: No type promotion method provided
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(num_inputs=1)
@triton.jit
def relu2(x):
    x = tl.maximum(x, 0.0)
    return x * x


def run(x):
    return relu2(x)
# --- unsupported: it stands alone above @triton.jit
import torch
import triton
import triton.language as tl
from flag_gems.utils import libentry, pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, "DEFAULT")])
@triton.autotune(configs=[triton.Config({}, num_warps=4)], key=[])
@triton.jit
def relu2(x):
    x = tl.maximum(x, 0.0)
    return x * x


def run(x):
    return relu2(x)
# --- parse_reject: NameError
import torch
import triton
import triton.language as tl


@pointwise_dynamic(promotion_methods=[(0, "DEFAULT")])
@triton.jit
def relu2(x):
    return x


def run(x):
    return relu2(x)
