# op: log_softmax
# about: pruning picks the one config whose block fits, under a key that says what it looks at
import torch
import triton
import triton.language as tl


def fitting(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] >= named_args["N"]][:1]


@triton.autotune(
    configs=[triton.Config({"BLOCK": 2**k}, num_warps=4 if k < 12 else 8) for k in range(5, 18)],
    key=["N"],
    prune_configs_by={"early_config_prune": fitting},
)
@triton.jit
def kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    tl.store(out_ptr + row * out_stride + cols, x - tl.log(tl.sum(tl.exp(x), axis=0)), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    kernel[(M,)](x, out, x.stride(0), out.stride(0), N)
    return out
