# op: softmax
# about: a table of row lengths for each of four GPUs
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


BY_DEVICE = {
    "NVIDIA A100-SXM4-80GB": {
        512: (1024, 1),
        1536: (1024, 2),
        2048: (512, 4),
        2560: (256, 10),
        5120: (1024, 5),
        8192: (256, 32),
        11008: (256, 43),
        16384: (256, 64),
        28672: (512, 56),
        32768: (256, 128),
    },
    "NVIDIA H100 80GB HBM3": {
        512: (256, 2),
        1536: (1024, 2),
        2048: (512, 4),
        2560: (1024, 3),
        5120: (256, 20),
        8192: (256, 32),
        11008: (512, 22),
        16384: (512, 32),
        28672: (1024, 28),
        32768: (1024, 32),
    },
    "NVIDIA L4": {
        512: (1024, 1),
        1536: (1024, 2),
        2048: (256, 8),
        2560: (1024, 3),
        5120: (512, 10),
        8192: (512, 16),
        11008: (1024, 11),
        16384: (1024, 16),
        28672: (512, 56),
        32768: (1024, 32),
    },
    "NVIDIA H200": {
        512: (256, 2),
        1536: (1024, 2),
        2048: (1024, 2),
        2560: (512, 5),
        5120: (1024, 5),
        8192: (256, 32),
        11008: (512, 22),
        16384: (256, 64),
        28672: (512, 56),
        32768: (256, 128),
    },
}


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    known = BY_DEVICE.get(torch.cuda.get_device_name(), {})
    block, turns = known.get(N, (1024, triton.cdiv(N, 1024)))
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
