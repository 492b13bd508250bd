# op: relu2
# about: asks for layouts in a helper, a conditional expression, an assertion and an object; the backward half too
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, LONG: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if LONG:
        row = row.to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.maximum(x, 0.0)
    tl.store(out_ptr + row.to(tl.int64) * out_stride + cols, r * r, mask=mask)


def last_dense(x):
    return x if x.stride(-1) == 1 else x.contiguous()


class Plan:
    def __init__(self, x):
        self.stride = x.stride(0)
        self.rows = x.shape[0]


class Relu2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = last_dense(x)
        x = x.reshape(-1, x.shape[-1])
        if x.stride(-1) != 1 or x.stride(1) != 1:
            x = x.contiguous()
        assert x.stride(1) == 1
        plan = Plan(x)
        M, N = x.shape
        out = torch.empty_like(x)
        if not out.contiguous().is_contiguous():
            out = torch.empty((M, N), device=x.device, dtype=x.dtype)
        long = 0 if x.numel() <= 2**31 - 4096 else 1
        relu2_kernel[(plan.rows, triton.cdiv(N, 1024))](
            x, out, plan.stride, out.stride(0), N, LONG=long or M * N >= 2**31 - 1, BLOCK=1024
        )
        ctx.save_for_backward(x)
        return out

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return last_dense(dy)


def run(x):
    return Relu2.apply(x)
