# op: softmax
# about: a loop that goes through all lengths of a dictionary
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


PLAN = {
    64: (64, 1),
    96: (128, 1),
    128: (64, 2),
    160: (256, 1),
    192: (256, 1),
    256: (128, 2),
    320: (128, 3),
    384: (64, 6),
    512: (512, 1),
    576: (1024, 1),
    640: (128, 5),
    768: (1024, 1),
    896: (256, 4),
    1024: (1024, 1),
    1152: (512, 3),
    1280: (2048, 1),
    1344: (2048, 1),
    1536: (256, 6),
    1600: (2048, 1),
    1792: (1024, 2),
    1920: (2048, 1),
    2048: (2048, 1),
    2304: (2048, 2),
    2560: (2048, 2),
    2688: (512, 6),
    2816: (2048, 2),
    3072: (2048, 2),
    3200: (2048, 2),
    3328: (512, 7),
    3584: (1024, 4),
    3840: (512, 8),
    4096: (2048, 2),
    4480: (2048, 3),
    4608: (1024, 5),
    5120: (2048, 3),
    5376: (2048, 3),
    5504: (1024, 6),
    5632: (1024, 6),
    6144: (2048, 3),
    7168: (2048, 4),
}


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block, turns = (1024, triton.cdiv(N, 1024))
    for n, (b, t) in PLAN.items():
        if n == N:
            block, turns = b, t
    kernel[(M,)](x, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
