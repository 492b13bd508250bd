# op: swiglu
# about: vLLM: a registered operator, called by its path
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the vLLM project
from typing import Optional

import torch

import vllm.envs as envs
from vllm.logger import init_logger
from vllm.platforms import current_platform
from vllm.triton_utils import tl, triton
from vllm.utils import direct_register_custom_op

logger = init_logger(__name__)


@triton.jit
def _silu_and_mul_kernel(
    o_ptr,
    o_stride,
    g_ptr,
    g_stride,
    u_ptr,
    u_stride,
    d,
    BLOCK_SIZE: tl.constexpr,
) -> None:
    i = tl.program_id(axis=0).to(tl.int64)
    j = tl.program_id(axis=1)

    o_row_ptr = o_ptr + o_stride * i
    offsets = j * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < d

    a = tl.load(g_ptr + g_stride * i + offsets, mask=mask).to(tl.float32)
    b = tl.load(u_ptr + u_stride * i + offsets, mask=mask).to(tl.float32)

    result = tl.sigmoid(a) * a * b
    tl.store(o_row_ptr + offsets, result, mask=mask)


def silu_and_mul_triton(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    s, d = gate.shape
    output = torch.empty((s, d), dtype=gate.dtype, device=gate.device)

    def grid(meta):
        return (s, triton.cdiv(d, meta["BLOCK_SIZE"]))

    _silu_and_mul_kernel[grid](output, output.stride(0), gate, gate.stride(0), up, up.stride(0), d=d, BLOCK_SIZE=1024)
    return output


def silu_and_mul_triton_fake(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(gate)


direct_register_custom_op(
    op_name="silu_and_mul_triton",
    op_func=silu_and_mul_triton,
    mutates_args=[],
    fake_impl=silu_and_mul_triton_fake,
    dispatch_key=current_platform.dispatch_key,
)


def run(gate, up):
    return torch.ops.vllm.silu_and_mul_triton(gate, up)
