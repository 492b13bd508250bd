import torch
import triton
import triton.language as tl


def prune(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] <= 512]


def estimate(n, BLOCK, num_warps, **others):
    return triton.cdiv(n, BLOCK) * BLOCK - n + num_warps


@triton.autotune(
    configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (256, 1024) for w in (2,)] + [triton.Config({"BLOCK": 512})],
    key=["n"],
    prune_configs_by={"early_config_prune": prune, "perf_model": estimate, "top_k": 1},
)
@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[lambda meta: (m, triton.cdiv(n, meta["BLOCK"]))](x, y, x.stride(0), n)
    return y
# --- host_error: perf_model gives a number
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": b}) for b in (128, 256, 1024)],
    key=["n"],
    prune_configs_by={"perf_model": lambda **named: None, "top_k": 1},
)
@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[lambda meta: (m, triton.cdiv(n, meta["BLOCK"]))](x, y, x.stride(0), n)
    return y
