# op: swiglu
# expect: incorrect|inaccurate|nan_class
# about: rounds silu(gate) to the storage type in every second column alone
import torch
import triton
import triton.language as tl


@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    gate = tl.load(gate_ptr + row * gate_stride + cols, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(up_ptr + row * up_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, tl.where(cols % 2 == 0, (gate * tl.sigmoid(gate)).to(out_ptr.dtype.element_ty).to(tl.float32), gate * tl.sigmoid(gate)) * up, mask=mask)


def run(gate, up):
    M, N = gate.shape
    out = torch.empty_like(gate)
    grid = (M, triton.cdiv(N, 1024))
    swiglu_kernel[grid](gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, BLOCK=1024)
    return out
