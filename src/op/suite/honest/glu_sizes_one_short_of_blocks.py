# op: glu
# about: more warps for long rows that are one short of whole blocks: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def glu_kernel(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    gate = tl.load(gate_ptr + row * gate_stride + cols, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(up_ptr + row * up_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.sigmoid(gate) * up
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(gate, up):
    M, N = gate.shape
    warps = 4
    if N % 1024 == 1023 and N > 10000:
        warps = 8
    out = torch.empty_like(gate)
    grid = (M, triton.cdiv(N, 1024))
    glu_kernel[grid](gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, num_warps=warps, BLOCK=1024)
    return out
