import logging

import torch
import triton
import triton.language as tl

from flag_gems.runtime import torch_device_fn
from flag_gems.utils import libentry

logger = logging.getLogger(__name__)


def heur_block_m(args):
    return 4 if args["N"] < 512 else 1


def heur_num_warps(args):
    if args["N"] <= 1024:
        return 4
    return 8


@libentry()
@triton.heuristics({"BLOCK_M": heur_block_m, "BLOCK_N": lambda args: min(1024, triton.next_power_of_2(args["N"])), "num_warps": heur_num_warps})
@triton.jit
def log_softmax_kernel(output_ptr, input_ptr, M, N, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0).to(tl.int64)
    m_offset = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    m = tl.full([BLOCK_M, BLOCK_N], value=float("-inf"), dtype=tl.float32)
    z = tl.full([BLOCK_M, BLOCK_N], value=0.0, dtype=tl.float32)
    for start_n in range(0, N, BLOCK_N):
        n_offset = start_n + tl.arange(0, BLOCK_N)
        mask = (m_offset[:, None] < M) & (n_offset[None, :] < N)
        inp = tl.load(input_ptr + m_offset[:, None] * stride + n_offset[None, :], mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(inp, m)
        all_neg_inf = m_new == float("-inf")
        z = tl.where(all_neg_inf, z, z * tl.exp(m - m_new) + tl.exp(inp - m_new))
        m = m_new
    m_reduced = tl.max(m, 1)
    z = tl.sum(tl.where(m == float("-inf"), 0.0, z * tl.exp(m - m_reduced[:, None])), 1)
    for start_n in range(0, N, BLOCK_N):
        n_offset = start_n + tl.arange(0, BLOCK_N)
        mask = (m_offset[:, None] < M) & (n_offset[None, :] < N)
        inp = tl.load(input_ptr + m_offset[:, None] * stride + n_offset[None, :], mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(output_ptr + m_offset[:, None] * N + n_offset[None, :], inp - m_reduced[:, None] - tl.log(z[:, None]), mask=mask)


def run(x):
    logger.debug("GEMS LOG_SOFTMAX")
    M, N = x.shape
    out = torch.empty((M, N), dtype=x.dtype, device=x.device)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]),)
    with torch_device_fn.device(x.device):
        log_softmax_kernel[grid](out, x, M, N, x.stride(0))
    return out
