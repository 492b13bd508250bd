# op: softmax
# about: a set of 64 shapes for which one block is enough
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_row_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


NARROW = {
    (2, 96), (2, 160), (2, 288), (2, 416), (2, 544), (2, 672), (2, 800), (2, 928),
    (8, 96), (8, 160), (8, 288), (8, 416), (8, 544), (8, 672), (8, 800), (8, 928),
    (24, 96), (24, 160), (24, 288), (24, 416), (24, 544), (24, 672), (24, 800), (24, 928),
    (48, 96), (48, 160), (48, 288), (48, 416), (48, 544), (48, 672), (48, 800), (48, 928),
    (96, 96), (96, 160), (96, 288), (96, 416), (96, 544), (96, 672), (96, 800), (96, 928),
    (192, 96), (192, 160), (192, 288), (192, 416), (192, 544), (192, 672), (192, 800), (192, 928),
    (384, 96), (384, 160), (384, 288), (384, 416), (384, 544), (384, 672), (384, 800), (384, 928),
    (768, 96), (768, 160), (768, 288), (768, 416), (768, 544), (768, 672), (768, 800), (768, 928),
}


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block = 1024 if (M, N) in NARROW else triton.next_power_of_2(N)
    softmax_row_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=block)
    return out
