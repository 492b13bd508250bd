# op: glu
# about: an operator that is registered, with what torch is told of it
import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton


@triton.jit
def glu_kernel(g_ptr, u_ptr, o_ptr, gs, us, os, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = col < N
    g = tl.load(g_ptr + row * gs + col, mask=m, other=0.0).to(tl.float32)
    u = tl.load(u_ptr + row * us + col, mask=m, other=0.0).to(tl.float32)
    tl.store(o_ptr + row * os + col, tl.sigmoid(g) * u, mask=m)


@triton_op("mylib::glu", mutates_args={})
def glu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(gate)
    M, N = gate.shape
    BLOCK = 512
    wrap_triton(glu_kernel)[(M, triton.cdiv(N, BLOCK))](gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, BLOCK)
    return out


def setup_context(ctx, inputs, output):
    gate, up = inputs
    ctx.save_for_backward(gate, up)


def backward(ctx, grad):
    raise NotImplementedError("backward")


glu.register_autograd(backward, setup_context=setup_context)


@glu.register_kernel("cpu")
def _(gate, up):
    return torch.sigmoid(gate) * up


def run(gate, up):
    return torch.ops.mylib.glu(gate, up)
