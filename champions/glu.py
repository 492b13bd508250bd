import torch
import triton
import triton.language as tl


@triton.jit
def glu_kernel(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, N, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    row = index // N
    cols = index % N
    gate = tl.load(gate_ptr + row * gate_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    up = tl.load(up_ptr + row * up_stride + cols, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, tl.sigmoid(gate) * up, mask=mask, cache_modifier='.cs')


@triton.jit
def glu_gapless_kernel(gate_ptr, up_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    gate = tl.load(gate_ptr + index, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    up = tl.load(up_ptr + index, mask=mask, other=0.0, eviction_policy='evict_first').to(tl.float32)
    tl.store(out_ptr + index, tl.sigmoid(gate) * up, mask=mask, cache_modifier='.cs')


@triton.jit
def glu_kernel2(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    gate = tl.load(gate_ptr + row * gate_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    up = tl.load(up_ptr + row * up_stride + cols, mask=mask, other=0.0, cache_modifier='.cg').to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, tl.sigmoid(gate) * up, mask=mask)


def run(gate, up):
    M, N = gate.shape
    out = torch.empty_like(gate)
    if not (gate.is_contiguous() and up.is_contiguous()):
        glu_kernel[(triton.cdiv(M * N, 8192),)](gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, M * N, BLOCK=8192, num_warps=16)
    elif M < 512 and N > 6144:
        glu_gapless_kernel[(triton.cdiv(M * N, 8192),)](gate, up, out, M * N, BLOCK=8192, num_warps=16)
    else:
        BLOCK = triton.next_power_of_2(N)
        glu_kernel2[(M,)](gate, up, out, gate.stride(0), up.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=8)
    return out
