import torch
import triton
import triton.language as tl


@triton.jit
def gelu_gapless_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    x = tl.load(x_ptr + index, mask=mask, other=0.0).to(tl.float32)
    v = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    tl.store(out_ptr + index, v, mask=mask)


@triton.jit
def gelu_kernel(x_ptr, out_ptr, x_stride, out_stride, N, n_elements, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n_elements
    row = index // N
    cols = index % N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    tl.store(out_ptr + row * out_stride + cols, v, mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    if x.is_contiguous():
        gelu_gapless_kernel[(triton.cdiv(M * N, 4096),)](x, out, M * N, BLOCK=4096, num_warps=16)
    else:
        gelu_kernel[(triton.cdiv(M * N, 4096),)](x, out, x.stride(0), out.stride(0), N, M * N, BLOCK=4096, num_warps=16)
    return out
