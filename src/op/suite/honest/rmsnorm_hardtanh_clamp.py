# op: rmsnorm_hardtanh
# about: tl.clamp with bounds as arguments; the grid is a nested function
import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_clamp(x, w, y, stride_x, stride_y, n, low, high, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + pid * stride_x + offs, mask=offs < n, other=0.0).cast(tl.float32)
    g = tl.load(w + offs, mask=offs < n, other=0.0).cast(tl.float32)
    variance = (v * v).sum(0) / n
    out = tl.clamp(v * tl.rsqrt(variance + 1e-6) * g, low, high)
    tl.store(y + pid * stride_y + offs, out.to(y.type.element_ty), mask=offs < n)


def run(x, w):
    n_rows, n = x.shape
    y = x.new_empty(x.shape)

    def grid(meta):
        return (n_rows,)

    rmsnorm_clamp[grid](x, w, y, x.stride(0), y.stride(0), n, -1.0, 1.0, BLOCK=triton.next_power_of_2(n))
    return y
