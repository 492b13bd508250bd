# op: softmax
# about: block and turns by the first of 40 limits that is not below the row length
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


# up to this row length: block, turns
LIMITS = [
    (160, 256, 1),
    (256, 256, 1),
    (320, 512, 1),
    (896, 1024, 1),
    (1152, 2048, 1),
    (2048, 2048, 1),
    (2560, 4096, 1),
    (2688, 4096, 1),
    (2816, 4096, 1),
    (3328, 4096, 1),
    (3584, 4096, 1),
    (3840, 4096, 1),
    (4608, 4096, 2),
    (5376, 4096, 2),
    (7424, 4096, 2),
    (8192, 4096, 2),
    (8960, 4096, 3),
    (9216, 4096, 3),
    (12288, 4096, 3),
    (16384, 4096, 4),
    (17920, 4096, 5),
    (18432, 4096, 5),
    (18944, 4096, 5),
    (21504, 4096, 6),
    (22016, 4096, 6),
    (22528, 4096, 6),
    (23040, 4096, 6),
    (25600, 4096, 7),
    (26624, 4096, 7),
    (27648, 4096, 7),
    (33792, 4096, 9),
    (35840, 4096, 9),
    (36864, 4096, 9),
    (38400, 4096, 10),
    (50257, 4096, 13),
    (50304, 4096, 13),
    (51200, 4096, 13),
    (55296, 4096, 14),
    (57344, 4096, 14),
    (59392, 4096, 15),
]


def pick(n):
    for limit, block, turns in LIMITS:
        if n <= limit:
            return block, turns
    return 4096, triton.cdiv(n, 4096)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block, turns = pick(N)
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
