# op: rmsnorm_tanh
# about: tables that a loop of the module fills
import torch
import triton
import triton.language as tl

BLOCKS = [128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
assert all(b & (b - 1) == 0 for b in BLOCKS)
assert BLOCKS == sorted(BLOCKS)
WARPS = {}
for _b in BLOCKS:
    WARPS[_b] = max(1, min(16, _b // 256))
del _b

try:
    _tanh = tl.extra.cuda.libdevice.tanh
except AttributeError:
    _tanh = None


@triton.jit
def tanh_f32(v):
    a = tl.exp(-2 * tl.abs(v))
    r = (1 - a) / (1 + a)
    # keep the relative error for small arguments
    small = v - v * v * v * 0.3333333333333333
    r = tl.where(tl.abs(v) < 0.02, tl.abs(small), r)
    return tl.where(v < 0, -r, r)


@triton.jit
def rms_tanh(x_ptr, w_ptr, y_ptr, sx, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    ok = cols < N
    x = tl.load(x_ptr + row * sx + cols, mask=ok, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=ok, other=0.0).to(tl.float32)
    rstd = 1.0 / tl.sqrt_rn(tl.sum(x * x, axis=0) / N + 1e-6)
    tl.store(y_ptr + row * N + cols, tanh_f32(x * rstd * w), mask=ok)


def pick(n):
    for b in BLOCKS:
        if b >= n:
            return b
    else:
        raise ValueError("row of {n} elements is too long".format(n=n))


def run(x, w):
    M, N = x.shape
    block = pick(N)
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    rms_tanh[(M,)](x, w, y, x.stride(0), N, BLOCK=block, num_warps=WARPS[block])
    return y
