# op: l2norm
# about: options that are None, behind a decorator that makes arguments contiguous
import torch
import triton
import triton.language as tl
from functools import wraps
import functools
import contextlib


def contiguous(fn):
    @functools.wraps(fn)
    def wrapper(ctx, *args, **kwargs):
        return fn(ctx,
                  *(i if not isinstance(i, torch.Tensor) else i.contiguous() for i in args),
                  **{k: (v if not isinstance(v, torch.Tensor) else v.contiguous()) for k, v in kwargs.items()})
    return wrapper


def checkpoint(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)
    return wrapper


BT_LIST = [8, 16, 32]


@triton.heuristics({"USE_EPS": lambda args: args["eps"] is not None})
@triton.autotune(
    configs=[triton.Config({"BT": BT}, num_warps=num_warps) for num_warps in [1, 2, 4] for BT in BT_LIST],
    key=["D"],
)
@triton.jit(do_not_specialize=["T"])
def l2norm_fwd_kernel(x, y, eps, T, D: tl.constexpr, BD: tl.constexpr, BT: tl.constexpr, USE_EPS: tl.constexpr):
    i_t = tl.program_id(0)
    p_x = tl.make_block_ptr(x, (T, D), (D, 1), (i_t * BT, 0), (BT, BD), (1, 0))
    b_x = tl.load(p_x, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    b_var = tl.sum(b_x * b_x, axis=1)
    b_y = b_x * tl.rsqrt(b_var + eps)[:, None]
    p_y = tl.make_block_ptr(y, (T, D), (D, 1), (i_t * BT, 0), (BT, BD), (1, 0))
    tl.store(p_y, b_y.to(p_y.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def l2norm_wide_kernel(x, y, eps, D, BD: tl.constexpr):
    i_t = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BD], dtype=tl.float32)
    for s in range(0, D, BD):
        o = s + tl.arange(0, BD)
        b = tl.load(x + i_t * D + o, mask=o < D, other=0.).to(tl.float32)
        acc += b * b
    r = tl.rsqrt(tl.sum(acc, 0) + eps)
    for s in range(0, D, BD):
        o = s + tl.arange(0, BD)
        b = tl.load(x + i_t * D + o, mask=o < D, other=0.).to(tl.float32)
        tl.store(y + i_t * D + o, (b * r).to(y.dtype.element_ty), mask=o < D)


def l2norm_fwd(x, eps: float = 1e-6, output_dtype=None):
    x_shape_og = x.shape
    x = x.view(-1, x.shape[-1])
    if output_dtype is None:
        y = torch.empty_like(x)
    else:
        y = torch.empty_like(x, dtype=output_dtype)
    assert y.stride(-1) == 1
    T, D = x.shape[0], x.shape[-1]
    if D <= 512:
        def grid(meta): return (triton.cdiv(T, meta["BT"]), )
        l2norm_fwd_kernel[grid](x, y, eps, T, D=D, BD=triton.next_power_of_2(D))
    else:
        l2norm_wide_kernel[(T,)](x, y, eps, D, BD=min(4096, triton.next_power_of_2(D)))
    return y.view(x_shape_og)


class L2NormFunction(torch.autograd.Function):

    @staticmethod
    @contiguous
    def forward(ctx, x, eps=1e-6, output_dtype=None):
        y = l2norm_fwd(x, eps, output_dtype)
        ctx.eps = eps
        ctx.x_dtype = x.dtype
        ctx.save_for_backward(x)
        return y


def l2norm(x: torch.Tensor, eps: float = 1e-6, output_dtype=None) -> torch.Tensor:
    return L2NormFunction.apply(x, eps, output_dtype)


l2_norm = l2norm


class L2Norm(torch.nn.Module):
    def __init__(self, eps: float = 1e-6, output_dtype=None):
        super().__init__()
        self.eps = eps
        self.output_dtype = output_dtype

    def forward(self, x):
        return l2norm(x, self.eps, self.output_dtype)


def run(x):
    return L2Norm()(x)
