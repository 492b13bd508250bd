# op: reglu
# about: block pointers that are advanced along the columns, a strip of rows per program
import torch
import triton
import triton.language as tl


@triton.jit
def reglu_strip(a_ptr, b_ptr, c_ptr, M, N, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr):
    first = tl.program_id(0) * BM
    a_block = tl.make_block_ptr(a_ptr, (M, N), (sa, 1), (first, 0), (BM, BN), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (M, N), (sb, 1), (first, 0), (BM, BN), (1, 0))
    c_block = tl.make_block_ptr(c_ptr, (M, N), (sc, 1), (first, 0), (BM, BN), (1, 0))
    for _ in range(0, N, BN):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
        c = tl.where(a > 0, a, 0.0) * b
        tl.store(c_block, c.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))
        a_block = tl.advance(a_block, (0, BN))
        b_block = tl.advance(b_block, (0, BN))
        c_block = tl.advance(c_block, (0, BN))


def run(gate, up):
    M, N = gate.shape
    out = torch.empty((M, N), dtype=gate.dtype, device=gate.device)
    BM, BN = 16, 128
    reglu_strip[(triton.cdiv(M, BM),)](
        gate, up, out, M, N, gate.stride(0), up.stride(0), out.stride(0), BM=BM, BN=BN
    )
    return out
