# op: geglu
# about: more warps for a table of three shapes: right on either side
import torch
import triton
import triton.language as tl


@triton.jit
def geglu_kernel(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    gate = tl.load(gate_ptr + row * gate_stride + cols, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(up_ptr + row * up_stride + cols, mask=mask, other=0.0).to(tl.float32)
    t = 2.0 * tl.sigmoid(1.5957691216057308 * (gate + 0.044715 * gate * gate * gate)) - 1.0
    y = 0.5 * gate * (1.0 + t) * up
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(gate, up):
    M, N = gate.shape
    warps = 4
    if (M, N) in [(3, 77), (9, 1023), (17, 48611)]:
        warps = 8
    out = torch.empty_like(gate)
    grid = (M, triton.cdiv(N, 1024))
    geglu_kernel[grid](gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, num_warps=warps, BLOCK=1024)
    return out
