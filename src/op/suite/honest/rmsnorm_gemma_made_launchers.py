# op: rmsnorm_gemma
# about: launchers that a function of the module makes
import torch
import triton
import triton.language as tl


def _make_norm(offset: float, eps: float = 1e-6, *, max_block: int = 4096):
    """Returns a launcher of an RMS norm with the weight shifted by offset."""
    blocks = tuple(1 << k for k in range(4, 13))

    def pick(n):
        for b in blocks:
            if b >= n:
                return b
        return max_block

    def norm(x, w):
        rows, cols = x.shape
        out = torch.empty_like(x)
        block = min(pick(cols), max_block)
        _norm_kernel[(rows,)](x, w, out, x.stride(0), out.stride(0), cols, eps, offset, BLOCK=block)
        return out

    return norm


@triton.jit
def _norm_kernel(x_ptr, w_ptr, o_ptr, xs, os, N, eps, offset, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + row * xs + c, mask=c < N, other=0.0).to(tl.float32)
        acc += v * v
    r = tl.rsqrt(tl.sum(acc, axis=0) / N + eps)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + row * xs + c, mask=c < N, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + c, mask=c < N, other=0.0).to(tl.float32)
        tl.store(o_ptr + row * os + c, (v * r * (offset + w)).to(o_ptr.dtype.element_ty), mask=c < N)


llama_norm = _make_norm(0.0)
gemma_norm = _make_norm(1.0)
NORMS = {"llama": llama_norm, "gemma": gemma_norm}


def run(x, w):
    return NORMS["gemma"](x, w)
