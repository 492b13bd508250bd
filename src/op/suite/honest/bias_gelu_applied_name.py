# op: bias_gelu
# about: Function.apply under a name at module level, constants of math
import torch
import torch.nn as nn
import triton
import triton.language as tl
import math

kAlpha = tl.constexpr(math.sqrt(2.0 / math.pi))


@triton.jit
def tanh(x):
    # stable for large |x|
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tanh(kAlpha * (x + 0.044715 * x * x * x)))


@triton.jit
def bias_gelu_kernel(x_ptr, b_ptr, o_ptr, stride_x, stride_o, N, BLOCK: tl.constexpr):
    m = tl.program_id(0).to(tl.int64)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = n < N
    x = tl.load(x_ptr + m * stride_x + n, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + n, mask=mask, other=0.0).to(tl.float32)
    o = gelu(x + b)
    tl.store(o_ptr + m * stride_o + n, o, mask=mask)


class BiasGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias):
        M, N = x.shape
        out = torch.empty_like(x)
        BLOCK = 1024
        grid = lambda META: (M, triton.cdiv(N, META["BLOCK"]), 1)
        bias_gelu_kernel[grid](x, bias, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK)
        ctx.save_for_backward(x, bias)
        ctx.N = N
        return out


bias_gelu = BiasGelu.apply


def run(x, bias):
    return bias_gelu(x, bias)
