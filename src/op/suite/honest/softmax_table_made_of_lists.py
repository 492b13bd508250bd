# op: softmax
# about: a table of 64 row lengths that is made of three lists
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, TURNS, BLOCK: tl.constexpr):
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


LENGTHS = [64, 96, 128, 160, 192, 256, 320, 384, 512, 576, 640, 768, 896, 1024, 1152, 1280, 1344, 1536, 1600, 1792, 1920, 2048, 2304, 2560, 2688, 2816, 3072, 3200, 3328, 3584, 3840, 4096, 4480, 4608, 5120, 5376, 5504, 5632, 6144, 6400, 6656, 7168, 7424, 7680, 8192, 8960, 9216, 9728, 10240, 11008, 11264, 12288, 13312, 13696, 13824, 14336, 15360, 16384, 17408, 17920, 18432, 18944]
BLOCKS = [64, 64, 128, 256, 256, 64, 512, 512, 128, 256, 512, 512, 1024, 256, 512, 512, 1024, 2048, 512, 1024, 2048, 1024, 2048, 2048, 4096, 4096, 4096, 2048, 1024, 2048, 2048, 2048, 2048, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096]
TURNS = [1, 2, 1, 1, 1, 4, 1, 1, 4, 3, 2, 2, 1, 4, 3, 3, 2, 1, 4, 2, 1, 2, 2, 2, 1, 1, 1, 2, 4, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5]
TABLE = {n: (b, t) for n, b, t in zip(LENGTHS, BLOCKS, TURNS)}


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block, turns = TABLE.get(N, (1024, triton.cdiv(N, 1024)))
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
