import torch
import triton
import triton.language as tl


@triton.jit
def bias_gelu_gapless_kernel(x_ptr, bias_ptr, out_ptr, N, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    cols = index % N
    x = tl.load(x_ptr + index, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v = x + bias
    v2 = v * tl.sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v))
    tl.store(out_ptr + index, v2, mask=mask)


@triton.jit
def bias_gelu_kernel(x_ptr, bias_ptr, out_ptr, x_stride, out_stride, N, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    row = index // N
    cols = index % N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    v = x + bias
    v2 = v * tl.sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v))
    tl.store(out_ptr + row * out_stride + cols, v2, mask=mask)


def run(x, bias):
    M, N = x.shape
    out = torch.empty_like(x)
    if x.is_contiguous():
        bias_gelu_gapless_kernel[(triton.cdiv(M * N, 2048),)](x, bias, out, N, M * N, BLOCK=2048, num_warps=8)
    else:
        bias_gelu_kernel[(triton.cdiv(M * N, 2048),)](x, bias, out, x.stride(0), out.stride(0), N, M * N, BLOCK=2048, num_warps=8)
    return out
