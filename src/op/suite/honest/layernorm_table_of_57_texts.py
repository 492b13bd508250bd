# op: layernorm
# about: options under keys of text, a row length and a dtype
import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, out_ptr, x_stride, out_stride, N, TURNS, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    sums = tl.zeros([BLOCK], tl.float32)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / N
    squares = tl.zeros([BLOCK], tl.float32)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        c = tl.where(cols < N, x - mean, 0.0)
        squares += c * c
    scale = tl.rsqrt(tl.sum(squares, axis=0) / N + 1e-5)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, (x - mean) * scale * w + b, mask=cols < N)


TUNED = {
    "160_fp16": {"TURNS": 2, "BLOCK": 128},
    "320_fp16": {"TURNS": 1, "BLOCK": 512},
    "576_fp16": {"TURNS": 2, "BLOCK": 512},
    "896_fp16": {"TURNS": 1, "BLOCK": 1024},
    "1280_fp16": {"TURNS": 2, "BLOCK": 1024},
    "1600_fp16": {"TURNS": 4, "BLOCK": 512},
    "2048_fp16": {"TURNS": 2, "BLOCK": 1024},
    "2688_fp16": {"TURNS": 2, "BLOCK": 2048},
    "3200_fp16": {"TURNS": 4, "BLOCK": 1024},
    "3840_fp16": {"TURNS": 1, "BLOCK": 4096},
    "4608_fp16": {"TURNS": 2, "BLOCK": 4096},
    "5504_fp16": {"TURNS": 3, "BLOCK": 2048},
    "6400_fp16": {"TURNS": 4, "BLOCK": 2048},
    "7424_fp16": {"TURNS": 2, "BLOCK": 4096},
    "8960_fp16": {"TURNS": 3, "BLOCK": 4096},
    "10240_fp16": {"TURNS": 3, "BLOCK": 4096},
    "12288_fp16": {"TURNS": 3, "BLOCK": 4096},
    "13824_fp16": {"TURNS": 4, "BLOCK": 4096},
    "16384_fp16": {"TURNS": 4, "BLOCK": 4096},
    "160_bf16": {"TURNS": 1, "BLOCK": 256},
    "320_bf16": {"TURNS": 2, "BLOCK": 256},
    "576_bf16": {"TURNS": 3, "BLOCK": 256},
    "896_bf16": {"TURNS": 2, "BLOCK": 512},
    "1280_bf16": {"TURNS": 3, "BLOCK": 512},
    "1600_bf16": {"TURNS": 1, "BLOCK": 2048},
    "2048_bf16": {"TURNS": 2, "BLOCK": 1024},
    "2688_bf16": {"TURNS": 2, "BLOCK": 2048},
    "3200_bf16": {"TURNS": 4, "BLOCK": 1024},
    "3840_bf16": {"TURNS": 4, "BLOCK": 1024},
    "4608_bf16": {"TURNS": 2, "BLOCK": 4096},
    "5504_bf16": {"TURNS": 2, "BLOCK": 4096},
    "6400_bf16": {"TURNS": 2, "BLOCK": 4096},
    "7424_bf16": {"TURNS": 2, "BLOCK": 4096},
    "8960_bf16": {"TURNS": 3, "BLOCK": 4096},
    "10240_bf16": {"TURNS": 3, "BLOCK": 4096},
    "12288_bf16": {"TURNS": 3, "BLOCK": 4096},
    "13824_bf16": {"TURNS": 4, "BLOCK": 4096},
    "16384_bf16": {"TURNS": 4, "BLOCK": 4096},
    "160_fp32": {"TURNS": 3, "BLOCK": 64},
    "320_fp32": {"TURNS": 3, "BLOCK": 128},
    "576_fp32": {"TURNS": 1, "BLOCK": 1024},
    "896_fp32": {"TURNS": 4, "BLOCK": 256},
    "1280_fp32": {"TURNS": 2, "BLOCK": 1024},
    "1600_fp32": {"TURNS": 1, "BLOCK": 2048},
    "2048_fp32": {"TURNS": 2, "BLOCK": 1024},
    "2688_fp32": {"TURNS": 1, "BLOCK": 4096},
    "3200_fp32": {"TURNS": 4, "BLOCK": 1024},
    "3840_fp32": {"TURNS": 4, "BLOCK": 1024},
    "4608_fp32": {"TURNS": 2, "BLOCK": 4096},
    "5504_fp32": {"TURNS": 3, "BLOCK": 2048},
    "6400_fp32": {"TURNS": 2, "BLOCK": 4096},
    "7424_fp32": {"TURNS": 4, "BLOCK": 2048},
    "8960_fp32": {"TURNS": 3, "BLOCK": 4096},
    "10240_fp32": {"TURNS": 3, "BLOCK": 4096},
    "12288_fp32": {"TURNS": 3, "BLOCK": 4096},
    "13824_fp32": {"TURNS": 4, "BLOCK": 4096},
    "16384_fp32": {"TURNS": 4, "BLOCK": 4096},
}
NAMES = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32"}


def run(x, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    key = f"{N}_{NAMES[x.dtype]}"
    options = TUNED[key] if key in TUNED else {"TURNS": triton.cdiv(N, 1024), "BLOCK": 1024}
    layernorm_kernel[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, **options)
    return out
