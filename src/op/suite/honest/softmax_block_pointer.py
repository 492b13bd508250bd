# op: softmax
# about: rows read and written through block pointers
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    block = tl.make_block_ptr(x_ptr, shape=(M, N), strides=(x_stride, 1), offsets=(row, 0), block_shape=(1, BLOCK), order=(1, 0))
    x = tl.load(block, boundary_check=(1,), padding_option="zero").to(tl.float32)
    cols = tl.arange(0, BLOCK)
    x = tl.where(cols[None, :] < N, x, -float("inf"))
    p = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    y = p / tl.sum(p, axis=1, keep_dims=True)
    to = tl.make_block_ptr(out_ptr, shape=(M, N), strides=(out_stride, 1), offsets=(row, 0), block_shape=(1, BLOCK), order=(1, 0))
    tl.store(to, y.to(to.dtype.element_ty), boundary_check=(1,))

def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), M, N, BLOCK=triton.next_power_of_2(N))
    return out
