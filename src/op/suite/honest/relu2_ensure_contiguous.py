# op: relu2
# about: a decorator of the file makes every tensor contiguous, forward and backward
import torch
import triton
import triton.language as tl
import functools


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.maximum(x, 0.0)
    y = r * r
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def ensure_contiguous(fn):
    @functools.wraps(fn)
    def wrapper(ctx, *args, **kwargs):
        def maybe_to_contiguous(x):
            return x.contiguous() if isinstance(x, torch.Tensor) else x

        args = [maybe_to_contiguous(arg) for arg in args]
        kwargs = {k: maybe_to_contiguous(v) for k, v in kwargs.items()}
        return fn(ctx, *args, **kwargs)

    return wrapper


class F(torch.autograd.Function):
    @staticmethod
    @ensure_contiguous
    def forward(ctx, x):
        M, N = x.shape
        out = torch.empty_like(x)
        relu2_kernel[(M, triton.cdiv(N, 1024))](x, out, x.stride(0), out.stride(0), N, BLOCK=1024)
        return out

    @staticmethod
    @ensure_contiguous
    def backward(ctx, dy):
        return dy


def run(x):
    return F.apply(x)
