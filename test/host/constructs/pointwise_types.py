import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def both(x, y):
    return x + y


@pointwise_dynamic(is_tensor=[True, False], promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def scaled(x, y):
    return x * y


@pointwise_dynamic(promotion_methods=[(0, "INT_TO_FLOAT"), (0, "ALWAYS_BOOL"), (0, "BOOL_TO_LONG"), (0, "NO_OPMATH")])
@triton.jit
def each(x):
    return x, x, x, x


@pointwise_dynamic(promotion_methods=[(0, 0, "COMPLEX_TO_FLOAT")])
@triton.jit
def relu2(x):
    x = tl.maximum(x.to(tl.float32), 0.0)
    return x * x


def zeros(shape, dtype):
    return torch.zeros(shape, dtype=dtype, device="cuda")


def kinds(dtype):
    return tuple(t.dtype for t in each(zeros((3,), dtype)))


def run(x):
    pairs = [
        (torch.uint8, torch.int8, torch.int16), (torch.int32, torch.int64, torch.int64), (torch.int64, torch.float16, torch.float16),
        (torch.float16, torch.bfloat16, torch.float32), (torch.bool, torch.bool, torch.bool), (torch.bool, torch.uint8, torch.uint8),
        (torch.bfloat16, torch.float32, torch.float32),
    ]
    for a, b, c in pairs:
        assert both(zeros((2, 3), a), zeros((3,), b)).dtype == c, a
        assert both(zeros((2, 3), b), zeros((2, 1), a)).dtype == c, b
    # A tensor without dimensions decides only where no other one is of that kind.
    assert both(zeros((3,), torch.float16), zeros((), torch.float32)).dtype == torch.float16
    assert both(zeros((3,), torch.int32), zeros((), torch.float16)).dtype == torch.float16
    assert both(zeros((3,), torch.int16), zeros((), torch.int64)).dtype == torch.int16
    # A number has a kind, and no width.
    assert scaled(zeros((3,), torch.float16), 1.5).dtype == torch.float16
    assert scaled(zeros((3,), torch.int32), 2).dtype == torch.int32
    assert scaled(zeros((3,), torch.int32), 1.5).dtype == torch.float32
    assert scaled(zeros((3,), torch.bool), 2).dtype == torch.int64
    assert scaled(zeros((3,), torch.bool), True).dtype == torch.bool
    assert kinds(torch.bool) == (torch.float32, torch.bool, torch.int64, torch.bool)
    assert kinds(torch.int16) == (torch.float32, torch.bool, torch.int16, torch.int16)
    assert kinds(torch.bfloat16) == (torch.bfloat16, torch.bool, torch.bfloat16, torch.bfloat16)
    # Shapes and layouts: of all, like the first that has it.
    assert both(zeros((2, 1), torch.int32), zeros((1, 3), torch.int32)).shape == (2, 3)
    turned = zeros((4, 3), torch.float32).t()
    assert both(zeros((4,), torch.float32), turned).stride() == (1, 3)
    assert both(turned, zeros((3, 4), torch.float32)).stride() == (1, 3)
    return relu2(x)
# --- host_error: AssertionError
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def both(x, y):
    return x + y


def run(x):
    assert both(torch.zeros((3,), dtype=torch.float16, device="cuda"), torch.zeros((3,), dtype=torch.bfloat16, device="cuda")).dtype == torch.float16
    return x
# --- host_error: Unexpected dtypes
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def both(x, y):
    return x


def run(x):
    return both(torch.zeros((3,), dtype=torch.float8_e5m2, device="cuda"), torch.zeros((3,), dtype=torch.float8_e4m3fn, device="cuda"))
# --- host_error: operand shapes mismatch
import torch
import triton
import triton.language as tl
from flag_gems.utils import pointwise_dynamic


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def both(x, y):
    return x + y


def run(x):
    return both.instantiate(2)(x, x[:1], out0=torch.empty_like(x))
