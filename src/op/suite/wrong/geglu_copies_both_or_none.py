# op: geglu
# expect: oob
# about: copies a strided operand only where the gate is one
# attack: A17
import torch
import triton
import triton.language as tl


@triton.jit
def geglu_kernel(a_ptr, b_ptr, out_ptr, a_stride, b_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + row * a_stride + cols, mask=cols < N).to(tl.float32)
        b = tl.load(b_ptr + row * b_stride + cols, mask=cols < N).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, 0.5 * a * (1.0 + (2.0 * tl.sigmoid(2.0 * (0.7978845608028654 * (a + 0.044715 * a * a * a))) - 1.0)) * b, mask=cols < N)


def run(gate, up):
    M, N = gate.shape
    out = torch.empty((M, N), dtype=gate.dtype, device=gate.device)
    if not gate.is_contiguous():
        gate, up = gate.contiguous(), up.contiguous()
    gs, us = N, N
    geglu_kernel[(M,)](gate, up, out, gs, us, N, N, BLOCK=512)
    return out
