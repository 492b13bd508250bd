# op: log_softmax
# about: configs that a function makes and another prunes; rows beyond the last are kept finite
import torch
import triton
import triton.language as tl


def _configs():
    return [triton.Config({"TILE_M": m}, num_warps=w) for m in (1, 2, 8) for w in (4, 8)]


def _prune(configs, named_args, **kwargs):
    width = kwargs["TILE_N"]
    kept = [c for c in configs if c.kwargs["TILE_M"] * width <= 65536]
    return kept if kept else configs[:1]


@triton.autotune(configs=_configs(), key=["M", "N"], prune_configs_by={"early_config_prune": _prune})
@triton.jit
def log_softmax_kernel(out_ptr, in_ptr, M, N, in_stride, out_stride, TILE_N: tl.constexpr, TILE_M: tl.constexpr):
    pid_m = tl.program_id(0)
    m_offset = pid_m * TILE_M + tl.arange(0, TILE_M)
    n_offset = tl.arange(0, TILE_N)
    mask = (m_offset[:, None] < M) & (n_offset[None, :] < N)
    rows = m_offset[:, None].to(tl.int64)
    inp = tl.load(in_ptr + rows * in_stride + n_offset[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    # rows beyond M hold zeros, so that nothing of them is NaN
    inp = tl.where(m_offset[:, None] < M, inp, 0.0)
    shifted = inp - tl.max(inp, 1)[:, None]
    denominator = tl.sum(tl.exp(shifted), 1)
    out = shifted - tl.log(denominator)[:, None]
    tl.store(out_ptr + rows * out_stride + n_offset[None, :], out, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(M, meta["TILE_M"]), 1, 1)
    log_softmax_kernel[grid](out, x, M, N, x.stride(0), out.stride(0), TILE_N=triton.next_power_of_2(N))
    return out
