# op: add_layernorm_leaky_relu
# about: optional tensors are None, the kernel tests them as constants; host functions with keyword-only options
import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_fwd(
    X, RES, W, B, Y, stride_x, stride_res, stride_y, N, eps, negative_slope, BLOCK_N: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < N
    x = tl.load(X + row * stride_x + cols, mask=mask, other=0.0).to(tl.float32)
    if RES is not None:
        x += tl.load(RES + row * stride_res + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    xbar = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(xbar * xbar, axis=0) / N + eps)
    y = xbar * rstd
    if W is not None:
        y = y * tl.load(W + cols, mask=mask).to(tl.float32)
    if B is not None:
        y = y + tl.load(B + cols, mask=mask).to(tl.float32)
    y = tl.where(y >= 0, y, y * negative_slope)
    tl.store(Y + row * stride_y + cols, y, mask=mask)


def layer_norm(x, weight=None, bias=None, *, residual=None, eps=1e-5, negative_slope=0.01):
    M, N = x.shape
    y = torch.empty_like(x)
    BLOCK_N = triton.next_power_of_2(N)
    layer_norm_fwd[(M,)](
        x, residual, weight, bias, y,
        x.stride(0), residual.stride(0) if residual is not None else 0, y.stride(0),
        N, eps, negative_slope, BLOCK_N=BLOCK_N,
        num_warps=1 if BLOCK_N <= 32 else 8,
    )
    return y


def run(x, residual, w, b):
    return layer_norm(x, w, bias=b, residual=residual)
