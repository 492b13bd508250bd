# op: softmax
# about: halves a list of 40 limits down to an index, which lies outside of it for longer rows
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


NS = [64, 96, 128, 160, 192, 256, 320, 384, 512, 576, 640, 768, 896, 1024, 1152, 1280, 1344, 1536, 1600, 1792, 1920, 2048, 2304, 2560, 2688, 2816, 3072, 3200, 3328, 3584, 3840, 4096, 4480, 4608, 5120, 5376, 5504, 5632, 6144, 7168]
BS = [64, 64, 64, 128, 128, 256, 64, 256, 128, 256, 256, 512, 128, 256, 512, 2048, 256, 2048, 256, 1024, 1024, 512, 2048, 2048, 512, 512, 512, 1024, 2048, 2048, 1024, 1024, 1024, 1024, 2048, 2048, 2048, 2048, 2048, 2048]
TS = [1, 2, 2, 2, 2, 1, 5, 2, 4, 3, 3, 2, 7, 4, 3, 1, 6, 1, 7, 2, 2, 4, 2, 2, 6, 6, 6, 4, 2, 2, 4, 4, 5, 5, 3, 3, 3, 3, 3, 4]


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    lo = 0
    hi = len(NS)
    while lo < hi:
        mid = (lo + hi) >> 1
        if N <= NS[mid]:
            hi = mid
        else:
            lo = mid + 1
    block, turns = (BS[lo], TS[lo]) if lo < len(NS) else (1024, triton.cdiv(N, 1024))
    kernel[(M,)](x, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
