# op: rmsnorm
# about: a filter picks one of 40 rows
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, TURNS, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], tl.float32)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x * x
    scale = tl.rsqrt(tl.sum(total, axis=0) / N + 1e-6)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, x * scale * w, mask=cols < N)


ROWS = [(64, 64, 1), (96, 64, 2), (128, 64, 2), (160, 256, 1), (192, 128, 2), (256, 128, 2), (320, 256, 2), (384, 256, 2), (512, 128, 4), (576, 512, 2), (640, 512, 2), (768, 128, 6), (896, 128, 7), (1024, 512, 2), (1152, 2048, 1), (1280, 256, 5), (1344, 512, 3), (1536, 1024, 2), (1600, 2048, 1), (1792, 2048, 1), (1920, 512, 4), (2048, 1024, 2), (2304, 512, 5), (2560, 2048, 2), (2688, 2048, 2), (2816, 512, 6), (3072, 2048, 2), (3200, 512, 7), (3328, 2048, 2), (3584, 1024, 4), (3840, 2048, 2), (4096, 1024, 4), (4480, 1024, 5), (4608, 1024, 5), (5120, 1024, 5), (5376, 1024, 6), (5504, 1024, 6), (5632, 1024, 6), (6144, 1024, 6), (7168, 2048, 4)]


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    found = [e for e in ROWS if e[0] == N]
    block, turns = found[0][1:] if found else (1024, triton.cdiv(N, 1024))
    kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
