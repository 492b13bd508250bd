import torch
import triton
import triton.language as tl
from flag_gems.utils.limits import get_dtype_max, get_dtype_min


@triton.jit
def lowest(dtype):
    of = dtype.value
    if of.is_floating():
        value: tl.constexpr = float("-inf")
        return value
    if of.is_int_signed():
        width: tl.constexpr = of.int_bitwidth
        value: tl.constexpr = -1 * 2 ** (width - 1)
        return value


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    low = lowest(x_ptr.type.element_ty) + 0.0
    low = tl.maximum(low, get_dtype_min(x_ptr.dtype.element_ty))
    tl.static_assert(lowest(tl.int8).dtype == get_dtype_min(tl.int8).dtype)
    tl.device_assert(get_dtype_max(tl.int32) == 2147483647)
    D: tl.constexpr = tl.float32
    tl.static_assert(T.value == tl.int16 and D.value.is_floating() and T.value.int_bitwidth == 16)
    low = tl.where(get_dtype_max(T) == 32767, low, 0.0)
    low = tl.where(get_dtype_min(tl.int8) == -128, low, 0.0)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=low).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, T=tl.int16, BLOCK=256)
    return y
# --- compile_fail: has no attribute 'value'
import torch
import triton
import triton.language as tl


@triton.jit
def lowest(dtype):
    of = dtype.value
    if of.is_floating():
        value: tl.constexpr = float("-inf")
        return value
    if of.is_int_signed():
        width: tl.constexpr = of.int_bitwidth
        value: tl.constexpr = -1 * 2 ** (width - 1)
        return value


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    low = lowest(x_ptr.type.element_ty)
    kind = x_ptr.dtype.element_ty.value
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=low).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, T=tl.int16, BLOCK=256)
    return y
# --- compile_fail: has no attribute 'value'
import torch
import triton
import triton.language as tl


@triton.jit
def lowest(dtype):
    of = dtype.value
    if of.is_floating():
        value: tl.constexpr = float("-inf")
        return value
    if of.is_int_signed():
        width: tl.constexpr = of.int_bitwidth
        value: tl.constexpr = -1 * 2 ** (width - 1)
        return value


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    low = lowest(x_ptr.type.element_ty)
    kind = T
    kind = kind.value
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=low).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, T=tl.int16, BLOCK=256)
    return y
# --- compile_fail: has no attribute 'value'
import torch
import triton
import triton.language as tl


@triton.jit
def lowest(dtype):
    of = dtype.value.value
    if of.is_floating():
        value: tl.constexpr = float("-inf")
        return value
    if of.is_int_signed():
        width: tl.constexpr = of.int_bitwidth
        value: tl.constexpr = -1 * 2 ** (width - 1)
        return value


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    low = lowest(x_ptr.type.element_ty)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=low).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, T=tl.int16, BLOCK=256)
    return y
# --- nan_class: 
import torch
import triton
import triton.language as tl
from flag_gems.utils.limits import get_dtype_max, get_dtype_min


@triton.jit
def lowest(dtype):
    of = dtype.value
    if of.is_floating():
        value: tl.constexpr = float("-inf")
        return value
    if of.is_int_signed():
        width: tl.constexpr = of.int_bitwidth
        value: tl.constexpr = -1 * 2 ** (width - 1)
        return value


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    low = get_dtype_max(x_ptr.dtype.element_ty)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n - 1, other=low).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, T=tl.int16, BLOCK=256)
    return y
# --- unsupported: import
import torch
import triton
import triton.language as tl
from flag_gems.utils.limits import get_dtype_middle


@triton.jit
def lowest(dtype):
    of = dtype.value
    if of.is_floating():
        value: tl.constexpr = float("-inf")
        return value
    if of.is_int_signed():
        width: tl.constexpr = of.int_bitwidth
        value: tl.constexpr = -1 * 2 ** (width - 1)
        return value


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    low = get_dtype_middle(x_ptr.dtype.element_ty)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=low).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, T=tl.int16, BLOCK=256)
    return y
