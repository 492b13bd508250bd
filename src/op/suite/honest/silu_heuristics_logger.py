# op: silu
# about: heuristics for block and warps, a logger, do_not_specialize
import logging
import torch
import triton
import triton.language as tl

logger = logging.getLogger(__name__)


def heur_block(args):
    n = args["n_elements"]
    if n <= 4096:
        return 256
    elif n < 1 << 20:
        return 1024
    else:
        return 4096


def heur_num_warps(args):
    return 4 if args["BLOCK_SIZE"] <= 1024 else 8


@triton.heuristics({"BLOCK_SIZE": heur_block, "num_warps": heur_num_warps})
@triton.jit(do_not_specialize=["n_elements"])
def silu_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    x_fp32 = x.to(tl.float32)
    y = tl.fdiv(x_fp32, (1.0 + tl.exp(-x_fp32)))
    tl.store(y_ptr + offsets, y.to(x.dtype), mask=mask)


def silu(self):
    logger.debug("GEMS SILU FORWARD")
    A = self.contiguous()
    out = torch.empty_like(A)
    n_elements = out.numel()
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    with torch.cuda.device(A.device):
        silu_kernel[grid](A, out, n_elements)
    return out


def run(x):
    return silu(x)
