# op: dequant_int8
# about: one flat index over all elements, row and column by division and remainder
import torch
import triton
import triton.language as tl


@triton.jit
def dequant_flat(q_ptr, s_ptr, o_ptr, numel, ncols, q_stride, s_stride, BLOCK: tl.constexpr):
    idx = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = idx < numel
    r = idx // ncols
    c = idx % ncols
    q = tl.load(q_ptr + r.to(tl.int64) * q_stride + c, mask=valid, other=0)
    s = tl.load(s_ptr + r * s_stride, mask=valid, other=0.0)
    tl.store(o_ptr + idx, (q.to(tl.float32) * s.to(tl.float32)).to(tl.float16), mask=valid)


def run(q, scale):
    rows, cols = q.shape
    out = torch.empty(rows, cols, dtype=torch.float16, device=q.device)
    numel = rows * cols
    dequant_flat[(triton.cdiv(numel, 1024),)](q, scale, out, numel, cols, q.stride(0), scale.stride(0), BLOCK=1024)
    return out
