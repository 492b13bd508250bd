import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


@triton_op("mylib::relu2", mutates_args={})
def relu2_op(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    wrap_triton(relu2)[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y


@torch.library.custom_op("mylib::outer", mutates_args=())
def outer(x: torch.Tensor) -> torch.Tensor:
    return relu2_op(x)


@relu2_op.register_kernel("cpu")
def _(x):
    return torch.relu(x) ** 2


def backward(ctx, grad):
    raise NotImplementedError("backward")


relu2_op.register_autograd(backward, setup_context=backward)


def run(x):
    return torch.ops.mylib.outer(x) if x.shape[0] > 1 else torch.ops.mylib.outer.default(x)
# --- parse_reject: torch.ops
def run(x):
    return torch.ops.aten.relu(x)
