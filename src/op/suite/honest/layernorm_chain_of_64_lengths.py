# op: layernorm
# about: block and turns by a chain of 64 conditions on the row length
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


def run(x, w, b):
    M, N = x.shape
    out = torch.empty_like(x)
    if N == 256:
        block, turns = 256, 1
    elif N == 320:
        block, turns = 256, 2
    elif N == 384:
        block, turns = 128, 3
    elif N == 512:
        block, turns = 256, 2
    elif N == 576:
        block, turns = 1024, 1
    elif N == 640:
        block, turns = 1024, 1
    elif N == 768:
        block, turns = 1024, 1
    elif N == 896:
        block, turns = 1024, 1
    elif N == 1024:
        block, turns = 512, 2
    elif N == 1152:
        block, turns = 2048, 1
    elif N == 1280:
        block, turns = 2048, 1
    elif N == 1344:
        block, turns = 1024, 2
    elif N == 1536:
        block, turns = 512, 3
    elif N == 1600:
        block, turns = 2048, 1
    elif N == 1792:
        block, turns = 2048, 1
    elif N == 1920:
        block, turns = 2048, 1
    elif N == 2048:
        block, turns = 512, 4
    elif N == 2304:
        block, turns = 4096, 1
    elif N == 2560:
        block, turns = 1024, 3
    elif N == 2688:
        block, turns = 4096, 1
    elif N == 2816:
        block, turns = 2048, 2
    elif N == 3072:
        block, turns = 1024, 3
    elif N == 3200:
        block, turns = 4096, 1
    elif N == 3328:
        block, turns = 4096, 1
    elif N == 3584:
        block, turns = 4096, 1
    elif N == 3840:
        block, turns = 1024, 4
    elif N == 4096:
        block, turns = 2048, 2
    elif N == 4480:
        block, turns = 4096, 2
    elif N == 4608:
        block, turns = 2048, 3
    elif N == 5120:
        block, turns = 4096, 2
    elif N == 5376:
        block, turns = 4096, 2
    elif N == 5504:
        block, turns = 2048, 3
    elif N == 5632:
        block, turns = 4096, 2
    elif N == 6144:
        block, turns = 4096, 2
    elif N == 6400:
        block, turns = 4096, 2
    elif N == 6656:
        block, turns = 4096, 2
    elif N == 7168:
        block, turns = 4096, 2
    elif N == 7424:
        block, turns = 4096, 2
    elif N == 7680:
        block, turns = 4096, 2
    elif N == 8192:
        block, turns = 4096, 2
    elif N == 8960:
        block, turns = 4096, 3
    elif N == 9216:
        block, turns = 4096, 3
    elif N == 9728:
        block, turns = 4096, 3
    elif N == 10240:
        block, turns = 4096, 3
    elif N == 11008:
        block, turns = 4096, 3
    elif N == 11264:
        block, turns = 4096, 3
    elif N == 12288:
        block, turns = 4096, 3
    elif N == 13312:
        block, turns = 4096, 4
    elif N == 13696:
        block, turns = 4096, 4
    elif N == 13824:
        block, turns = 4096, 4
    elif N == 14336:
        block, turns = 4096, 4
    elif N == 15360:
        block, turns = 4096, 4
    elif N == 16384:
        block, turns = 4096, 4
    elif N == 17408:
        block, turns = 4096, 5
    elif N == 17920:
        block, turns = 4096, 5
    elif N == 18432:
        block, turns = 4096, 5
    elif N == 18944:
        block, turns = 4096, 5
    elif N == 20480:
        block, turns = 4096, 5
    elif N == 21504:
        block, turns = 4096, 6
    elif N == 22016:
        block, turns = 4096, 6
    elif N == 22528:
        block, turns = 4096, 6
    elif N == 23040:
        block, turns = 4096, 6
    elif N == 24576:
        block, turns = 4096, 6
    elif N == 25600:
        block, turns = 4096, 7
    else:
        block, turns = 1024, triton.cdiv(N, 1024)
    layernorm_kernel[(M,)](x, w, b, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
