# op: softmax
# about: which of two kernels, and its block, for a hundred shapes and dtypes
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


@triton.jit
def whole_row_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


BEST = {
    (1, 512, torch.float16): ("loop", 512),
    (1, 512, torch.bfloat16): ("whole", 512),
    (1, 512, torch.float32): ("loop", 512),
    (1, 1536, torch.float16): ("loop", 2048),
    (1, 1536, torch.bfloat16): ("loop", 2048),
    (1, 1536, torch.float32): ("whole", 2048),
    (1, 2048, torch.float16): ("whole", 2048),
    (1, 2048, torch.bfloat16): ("whole", 2048),
    (1, 2048, torch.float32): ("whole", 2048),
    (1, 3072, torch.float16): ("whole", 4096),
    (1, 3072, torch.bfloat16): ("loop", 4096),
    (1, 3072, torch.float32): ("whole", 4096),
    (1, 4096, torch.float16): ("whole", 4096),
    (1, 4096, torch.bfloat16): ("whole", 4096),
    (1, 4096, torch.float32): ("loop", 4096),
    (1, 5120, torch.float16): ("loop", 1024),
    (1, 5120, torch.bfloat16): ("loop", 1024),
    (1, 5120, torch.float32): ("loop", 1024),
    (1, 8192, torch.float16): ("loop", 1024),
    (1, 8192, torch.bfloat16): ("loop", 1024),
    (1, 8192, torch.float32): ("loop", 1024),
    (1, 11008, torch.float16): ("loop", 1024),
    (1, 11008, torch.bfloat16): ("loop", 1024),
    (1, 11008, torch.float32): ("loop", 1024),
    (32, 512, torch.float16): ("loop", 512),
    (32, 512, torch.bfloat16): ("loop", 512),
    (32, 512, torch.float32): ("whole", 512),
    (32, 1536, torch.float16): ("whole", 2048),
    (32, 1536, torch.bfloat16): ("whole", 2048),
    (32, 1536, torch.float32): ("whole", 2048),
    (32, 2048, torch.float16): ("whole", 2048),
    (32, 2048, torch.bfloat16): ("whole", 2048),
    (32, 2048, torch.float32): ("whole", 2048),
    (32, 3072, torch.float16): ("loop", 4096),
    (32, 3072, torch.bfloat16): ("loop", 4096),
    (32, 3072, torch.float32): ("loop", 4096),
    (32, 4096, torch.float16): ("whole", 4096),
    (32, 4096, torch.bfloat16): ("loop", 4096),
    (32, 4096, torch.float32): ("whole", 4096),
    (32, 5120, torch.float16): ("loop", 1024),
    (32, 5120, torch.bfloat16): ("loop", 1024),
    (32, 5120, torch.float32): ("loop", 1024),
    (32, 8192, torch.float16): ("loop", 1024),
    (32, 8192, torch.bfloat16): ("loop", 1024),
    (32, 8192, torch.float32): ("loop", 1024),
    (32, 11008, torch.float16): ("loop", 1024),
    (32, 11008, torch.bfloat16): ("loop", 1024),
    (32, 11008, torch.float32): ("loop", 1024),
    (256, 512, torch.float16): ("whole", 512),
    (256, 512, torch.bfloat16): ("whole", 512),
    (256, 512, torch.float32): ("whole", 512),
    (256, 1536, torch.float16): ("whole", 2048),
    (256, 1536, torch.bfloat16): ("loop", 2048),
    (256, 1536, torch.float32): ("whole", 2048),
    (256, 2048, torch.float16): ("loop", 2048),
    (256, 2048, torch.bfloat16): ("whole", 2048),
    (256, 2048, torch.float32): ("whole", 2048),
    (256, 3072, torch.float16): ("whole", 4096),
    (256, 3072, torch.bfloat16): ("whole", 4096),
    (256, 3072, torch.float32): ("whole", 4096),
    (256, 4096, torch.float16): ("whole", 4096),
    (256, 4096, torch.bfloat16): ("whole", 4096),
    (256, 4096, torch.float32): ("whole", 4096),
    (256, 5120, torch.float16): ("loop", 1024),
    (256, 5120, torch.bfloat16): ("loop", 1024),
    (256, 5120, torch.float32): ("loop", 1024),
    (256, 8192, torch.float16): ("loop", 1024),
    (256, 8192, torch.bfloat16): ("loop", 1024),
    (256, 8192, torch.float32): ("loop", 1024),
    (256, 11008, torch.float16): ("loop", 1024),
    (256, 11008, torch.bfloat16): ("loop", 1024),
    (256, 11008, torch.float32): ("loop", 1024),
    (1024, 512, torch.float16): ("loop", 512),
    (1024, 512, torch.bfloat16): ("loop", 512),
    (1024, 512, torch.float32): ("loop", 512),
    (1024, 1536, torch.float16): ("loop", 2048),
    (1024, 1536, torch.bfloat16): ("loop", 2048),
    (1024, 1536, torch.float32): ("loop", 2048),
    (1024, 2048, torch.float16): ("whole", 2048),
    (1024, 2048, torch.bfloat16): ("whole", 2048),
    (1024, 2048, torch.float32): ("loop", 2048),
    (1024, 3072, torch.float16): ("whole", 4096),
    (1024, 3072, torch.bfloat16): ("loop", 4096),
    (1024, 3072, torch.float32): ("loop", 4096),
    (1024, 4096, torch.float16): ("whole", 4096),
    (1024, 4096, torch.bfloat16): ("loop", 4096),
    (1024, 4096, torch.float32): ("loop", 4096),
    (1024, 5120, torch.float16): ("loop", 1024),
    (1024, 5120, torch.bfloat16): ("loop", 1024),
    (1024, 5120, torch.float32): ("loop", 1024),
    (1024, 8192, torch.float16): ("loop", 1024),
    (1024, 8192, torch.bfloat16): ("loop", 1024),
    (1024, 8192, torch.float32): ("loop", 1024),
    (1024, 11008, torch.float16): ("loop", 1024),
    (1024, 11008, torch.bfloat16): ("loop", 1024),
    (1024, 11008, torch.float32): ("loop", 1024),
    (4096, 1024, torch.float16): ("loop", 1024),
    (4096, 2048, torch.float16): ("loop", 2048),
    (4096, 3072, torch.float16): ("loop", 4096),
    (4096, 4096, torch.float16): ("whole", 4096),
}


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    usual = ("whole", triton.next_power_of_2(N)) if N <= 4096 else ("loop", 1024)
    kind, block = BEST.get((M, N, x.dtype), usual)
    if kind == "whole":
        whole_row_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=block)
    else:
        softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, triton.cdiv(N, block), BLOCK=block)
    return out
