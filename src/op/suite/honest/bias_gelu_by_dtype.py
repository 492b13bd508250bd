# op: bias_gelu
# about: warps by dtype, and a path for a dtype outside of the domain
import torch
import triton
import triton.language as tl


@triton.jit
def bias_gelu_kernel(x_ptr, bias_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    h = x + b
    t = 2.0 * tl.sigmoid(1.5957691216057308 * (h + 0.044715 * h * h * h)) - 1.0
    y = 0.5 * h * (1.0 + t)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)


def run(x, bias):
    M, N = x.shape
    out = torch.empty_like(x)
    if x.dtype == torch.float32:
        warps = 8
    elif x.dtype in (torch.float16, torch.bfloat16):
        warps = 4
    else:
        warps = 2
    grid = (M, triton.cdiv(N, 1024))
    bias_gelu_kernel[grid](x, bias, out, x.stride(0), out.stride(0), N, BLOCK=1024, num_warps=warps)
    return out
