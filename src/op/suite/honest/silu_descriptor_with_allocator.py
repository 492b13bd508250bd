# op: silu
# about: descriptors made in a kernel, with an allocator of host code
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * x_stride + cols, mask=cols < N)
    tl.store(out_ptr + row * out_stride + cols, v, mask=cols < N)


def memory(size, alignment, stream):
    return torch.empty(size, device="cuda", dtype=torch.int8)


triton.set_allocator(memory)


@triton.jit
def silu_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = tl.make_tensor_descriptor(x_ptr, [M, N], [x_stride, 1], [1, BLOCK])
    cols = tl.arange(0, BLOCK)[None, :]
    v = rows.load([row, 0]).to(tl.float32)
    tl.store(out_ptr + row.to(tl.int64) * out_stride + cols, v * tl.sigmoid(v), mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    step = 16 // x.element_size()
    padded = torch.empty((M, triton.cdiv(N, step) * step), dtype=x.dtype, device=x.device)
    copy_kernel[(M,)](x, padded, x.stride(0), padded.stride(0), N, BLOCK=triton.next_power_of_2(N))
    block = max(triton.next_power_of_2(N), step)
    silu_kernel[(M,)](padded, out, padded.stride(0), out.stride(0), M, N, BLOCK=block)
    return out
