import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_gelu_kernel(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = tl.sum(x, axis=0)
    inv = 1.0 / N
    mean = total * inv
    v = x - mean
    total2 = tl.sum(tl.where(mask, v * v, 0.0), axis=0)
    rstd = tl.rsqrt(total2 * inv + 1e-05)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v2 = v * rstd * w + b
    v3 = v2 * tl.sigmoid(1.5957691216057308 * (v2 + 0.044715 * v2 * v2 * v2))
    tl.store(out_ptr + row * out_stride + cols, v3, mask=mask)


def run(x, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(N)
    layernorm_gelu_kernel[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, BLOCK=BLOCK, num_warps=min(16, max(1, BLOCK // 512)))
    return out
