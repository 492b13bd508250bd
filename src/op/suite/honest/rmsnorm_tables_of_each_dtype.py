# op: rmsnorm
# about: a table of row lengths for each dtype, a hundred entries together
import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, N, TURNS, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    squares = tl.zeros([BLOCK], tl.float32)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    scale = tl.rsqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for turn in range(0, TURNS):
        cols = turn * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * out_stride + cols, x * scale * w, mask=cols < N)


TABLE = {
    torch.float16: {
        64: (64, 1),
        160: (128, 2),
        320: (128, 3),
        576: (256, 3),
        896: (1024, 1),
        1280: (1024, 2),
        1600: (512, 4),
        2048: (1024, 2),
        2688: (1024, 3),
        3200: (4096, 1),
        3840: (1024, 4),
        4608: (4096, 2),
        5504: (4096, 2),
        6400: (2048, 4),
        7424: (4096, 2),
        8960: (4096, 3),
        10240: (4096, 3),
        12288: (4096, 3),
        13824: (4096, 4),
        16384: (4096, 4),
        18432: (4096, 5),
        21504: (4096, 6),
        23040: (4096, 6),
        26624: (4096, 7),
        28672: (4096, 7),
        32000: (4096, 8),
        33792: (4096, 9),
        38400: (4096, 10),
        44032: (4096, 11),
        50257: (4096, 13),
        53248: (4096, 13),
        59392: (4096, 15),
        63488: (4096, 16),
        65536: (4096, 16),
    },
    torch.bfloat16: {
        96: (64, 2),
        192: (64, 3),
        384: (512, 1),
        640: (256, 3),
        1024: (256, 4),
        1344: (1024, 2),
        1792: (512, 4),
        2304: (2048, 2),
        2816: (4096, 1),
        3328: (1024, 4),
        4096: (1024, 4),
        5120: (4096, 2),
        5632: (4096, 2),
        6656: (4096, 2),
        7680: (2048, 4),
        9216: (4096, 3),
        11008: (4096, 3),
        13312: (4096, 4),
        14336: (4096, 4),
        17408: (4096, 5),
        18944: (4096, 5),
        22016: (4096, 6),
        24576: (4096, 6),
        27392: (4096, 7),
        29568: (4096, 8),
        32256: (4096, 8),
        35840: (4096, 9),
        40960: (4096, 10),
        45056: (4096, 11),
        50304: (4096, 13),
        55296: (4096, 14),
        60416: (4096, 15),
        64000: (4096, 16),
    },
    torch.float32: {
        128: (64, 2),
        256: (256, 1),
        512: (512, 1),
        768: (256, 3),
        1152: (1024, 2),
        1536: (1024, 2),
        1920: (512, 4),
        2560: (1024, 3),
        3072: (1024, 3),
        3584: (2048, 2),
        4480: (2048, 3),
        5376: (4096, 2),
        6144: (2048, 3),
        7168: (4096, 2),
        8192: (2048, 4),
        9728: (4096, 3),
        11264: (4096, 3),
        13696: (4096, 4),
        15360: (4096, 4),
        17920: (4096, 5),
        20480: (4096, 5),
        22528: (4096, 6),
        25600: (4096, 7),
        27648: (4096, 7),
        30720: (4096, 8),
        32768: (4096, 8),
        36864: (4096, 9),
        43008: (4096, 11),
        49152: (4096, 12),
        51200: (4096, 13),
        57344: (4096, 14),
        61440: (4096, 15),
        65024: (4096, 16),
    },
}


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    known = TABLE[x.dtype]
    block, turns = known[N] if N in known else (1024, triton.cdiv(N, 1024))
    rmsnorm_kernel[(M,)](x, w, out, x.stride(0), out.stride(0), N, turns, BLOCK=block)
    return out
