# op: rope
# about: a number of blocks is kept under the rows and the length
import torch
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_stride, cos_stride, sin_stride, out_stride, H, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < H
    a = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(x_ptr + row * x_stride + H + cols, mask=mask, other=0.0).to(tl.float32)
    cos_a = tl.load(cos_ptr + row * cos_stride + cols, mask=mask, other=0.0).to(tl.float32)
    cos_b = tl.load(cos_ptr + row * cos_stride + H + cols, mask=mask, other=0.0).to(tl.float32)
    sin_a = tl.load(sin_ptr + row * sin_stride + cols, mask=mask, other=0.0).to(tl.float32)
    sin_b = tl.load(sin_ptr + row * sin_stride + H + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, a * cos_a - b * sin_a, mask=mask)
    tl.store(out_ptr + row * out_stride + H + cols, b * cos_b + a * sin_b, mask=mask)


_blocks = {}


def run(x, cos, sin):
    M, D = x.shape
    key = (M, D)
    if key not in _blocks:
        _blocks[key] = triton.cdiv(D, 256)
    out = torch.empty_like(x)
    grid = (M, _blocks[key])
    rope_kernel[grid](x, cos, sin, out, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), D // 2, BLOCK=128)
    return out
