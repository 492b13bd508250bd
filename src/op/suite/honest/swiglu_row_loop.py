# op: swiglu
# about: one program per row, blocks in a loop, no `other` where the result of masked lanes is never stored
import torch
import triton
import triton.language as tl


@triton.jit
def swiglu_rows(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    gate_ptr += pid * gate_stride
    up_ptr += pid * up_stride
    out_ptr += pid * out_stride
    for start in range(0, n_cols, BLOCK_SIZE):
        offs = start + tl.arange(0, BLOCK_SIZE)
        mask = offs < n_cols
        g = tl.load(gate_ptr + offs, mask=mask).to(tl.float32)
        u = tl.load(up_ptr + offs, mask=mask).to(tl.float32)
        y = g * (1.0 / (1.0 + tl.exp(-g))) * u
        tl.store(out_ptr + offs, y, mask=mask)


def run(gate, up):
    M, N = gate.shape
    out = torch.empty_like(gate)
    swiglu_rows[(M,)](gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, BLOCK_SIZE=512)
    return out
