# op: cumsum
# about: FlagGems: the type of sums by a function of constexprs
import functools
import logging
import math

import torch
import triton
import triton.language as tl
from torch._prims_common import is_boolean_dtype, is_integer_dtype

from flag_gems.runtime import device, torch_device_fn
from flag_gems.utils import get_device_properties, libentry
from flag_gems.utils import triton_lang_extension as tle

device = device.name
logger = logging.getLogger(__name__)


@tl.constexpr
def get_scan_accum_type(inp_dtype: tl.dtype) -> tl.dtype:
    if inp_dtype.is_bf16() or inp_dtype.is_fp16():
        return tl.float32
    if inp_dtype.is_int():  # signed or not(including bool)
        return tl.int64
    else:
        return inp_dtype


@libentry()
@triton.jit(do_not_specialize=["n_elements", "part_num"])
def scan_part_sum_kernel(
    inp,
    out,
    n_elements,
    stride,
    BLOCK_SIZE: tl.constexpr,
):
    row = tle.program_id(0)
    acc_type: tl.constexpr = get_scan_accum_type(inp.type.element_ty)
    carry = tl.zeros((), dtype=tl.float32)
    for start in range(0, n_elements, BLOCK_SIZE):
        offset = start + tl.arange(0, BLOCK_SIZE)
        mask = offset < n_elements
        inp_vals = tl.load(inp + row * stride + offset, mask=mask, other=0).to(acc_type)
        result = tl.cumsum(inp_vals, axis=0)
        tl.store(out + row * n_elements + offset, result + carry, mask=mask)
        carry += tl.sum(inp_vals)


def cumsum(inp, dim=1, *, dtype=None):
    logger.debug("GEMS CUMSUM")
    assert dim >= -inp.ndim and dim < inp.ndim, "Invalid dim"
    if dtype is None:
        dtype = inp.dtype
        if is_integer_dtype(dtype) or is_boolean_dtype(dtype):
            dtype = torch.int64
    out = torch.empty(inp.shape, dtype=dtype, device=inp.device)
    with torch_device_fn.device(inp.device):
        scan_part_sum_kernel[(inp.shape[0],)](inp, out, inp.shape[1], inp.stride(0), BLOCK_SIZE=1024)
    return out


def run(x):
    return cumsum(x, 1)
