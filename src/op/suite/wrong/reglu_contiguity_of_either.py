# op: reglu
# expect: oob
# about: one dense operand is enough to take both for dense
# attack: A17
import torch
import triton
import triton.language as tl


@triton.jit
def reglu_kernel(a_ptr, b_ptr, out_ptr, a_stride, b_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + row * a_stride + cols, mask=cols < N).to(tl.float32)
        b = tl.load(b_ptr + row * b_stride + cols, mask=cols < N).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, tl.maximum(a, 0.0) * b, mask=cols < N)


def run(gate, up):
    M, N = gate.shape
    out = torch.empty((M, N), dtype=gate.dtype, device=gate.device)
    gs, us = (N, N) if gate.is_contiguous() or up.is_contiguous() else (gate.stride(0), up.stride(0))
    reglu_kernel[(M,)](gate, up, out, gs, us, N, N, BLOCK=512)
    return out
