# op: softmax
# about: the block by next() over 40 limits
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


LIMITS = (
    (192, 256),
    (256, 256),
    (320, 512),
    (384, 512),
    (512, 512),
    (576, 1024),
    (768, 1024),
    (896, 1024),
    (1280, 2048),
    (1536, 2048),
    (1600, 2048),
    (1792, 2048),
    (3072, 4096),
    (3200, 4096),
    (3328, 4096),
    (3840, 4096),
    (5120, 8192),
    (5376, 8192),
    (5504, 8192),
    (7168, 8192),
    (9216, 16384),
    (11264, 16384),
    (13312, 16384),
    (13696, 16384),
    (13824, 16384),
    (14336, 16384),
    (22016, 32768),
    (25600, 32768),
    (26624, 32768),
    (27392, 32768),
    (27648, 32768),
    (30720, 32768),
    (35840, 65536),
    (43008, 65536),
    (50257, 65536),
    (50304, 65536),
    (51200, 65536),
    (53248, 65536),
    (55296, 65536),
    (57344, 65536),
)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block = next((b for limit, b in LIMITS if N <= limit), triton.next_power_of_2(N))
    softmax_row_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=block)
    return out
