# op: softmax
# about: lengths in five lists, each of which a loop goes through
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, x_stride, out_stride, N, TURNS, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    peak = tl.full([BLOCK], float("-inf"), tl.float32)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        peak = tl.maximum(peak, x)
    most = tl.max(peak, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        total += tl.exp(x - most)
    scale = 1.0 / tl.sum(total, axis=0)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, tl.exp(x - most) * scale, mask=cols < N)


GROUPS = [[(64, 64, 1), (96, 128, 1), (128, 128, 1), (160, 64, 3), (192, 64, 3), (256, 64, 4), (320, 128, 3), (384, 512, 1)], [(512, 512, 1), (576, 512, 2), (640, 1024, 1), (768, 128, 6), (896, 128, 7), (1024, 256, 4), (1152, 512, 3), (1280, 256, 5)], [(1344, 2048, 1), (1536, 512, 3), (1600, 512, 4), (1792, 512, 4), (1920, 256, 8), (2048, 1024, 2), (2304, 2048, 2), (2560, 512, 5)], [(2688, 1024, 3), (2816, 1024, 3), (3072, 1024, 3), (3200, 512, 7), (3328, 2048, 2), (3584, 2048, 2), (3840, 2048, 2), (4096, 2048, 2)], [(4480, 2048, 3), (4608, 1024, 5), (5120, 2048, 3), (5376, 1024, 6), (5504, 1024, 6), (5632, 2048, 3), (6144, 1024, 6), (7168, 2048, 4)]]


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block, turns = (1024, triton.cdiv(N, 1024))
    for group in GROUPS:
        for n, b, t in group:
            if n == N:
                block, turns = b, t
    kernel[(M,)](x, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
