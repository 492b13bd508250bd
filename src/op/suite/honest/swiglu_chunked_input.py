# op: swiglu
# about: gate and up copied next to each other first, so that one kernel reads both halves of a packed row
import torch
import triton
import triton.language as tl


@triton.jit
def pack(a_ptr, b_ptr, p_ptr, sa, sb, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = c < N
    tl.store(p_ptr + row * 2 * N + c, tl.load(a_ptr + row * sa + c, mask=m), mask=m)
    tl.store(p_ptr + row * 2 * N + N + c, tl.load(b_ptr + row * sb + c, mask=m), mask=m)


@triton.jit
def swiglu_packed(p_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = c < N
    gate = tl.load(p_ptr + row * 2 * N + c, mask=m, other=0.0).to(tl.float32)
    up = tl.load(p_ptr + row * 2 * N + N + c, mask=m, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * N + c, (gate * tl.sigmoid(gate) * up).to(y_ptr.dtype.element_ty), mask=m)


def run(gate, up):
    M, N = gate.shape
    packed = gate.new_empty((M, 2 * N))
    y = torch.empty((M, N), dtype=gate.dtype, device=gate.device)
    grid = (M, triton.cdiv(N, 1024))
    pack[grid](gate, up, packed, gate.stride(0), up.stride(0), N, BLOCK=1024)
    swiglu_packed[grid](packed, y, N, BLOCK=1024)
    return y
