# op: layernorm
# about: 64-bit offsets for tensors beyond 2^31 elements, a flag that is always the same
import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, WIDE: tl.constexpr, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    else:
        row = row.to(tl.int64) * 1
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    h = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(h, axis=0) / N
    c = tl.where(mask, h - mean, 0.0)
    scale = tl.rsqrt(tl.sum(c * c, axis=0) / N + 1e-5)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = c * scale * w
    if HAS_BIAS:
        y = y + b
    # epilogue
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    wide = x.numel() >= 2**31
    layernorm_kernel[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, WIDE=wide, HAS_BIAS=b is not None, BLOCK=triton.next_power_of_2(N))
    return out
