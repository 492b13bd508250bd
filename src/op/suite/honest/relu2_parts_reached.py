# op: relu2
# about: later operands, filters, comparisons as values, chosen functions, lists that grow: all of it reached
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, x_stride, out_stride, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = None if EVEN else cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask).to(tl.float32)
    one = 1.0
    if N > 64:
        one = 1.0
    scale = one if N > 128 else 1.0
    r = tl.maximum(x, 0.0) * scale
    tl.store(out_ptr + row * out_stride + cols, r * r, mask=mask)


def wide(n):
    return 1024


def narrow(n):
    return 128


def pick(n):
    return {True: wide, False: narrow}.get(n > 512, wide)


def grow(blocks, n):
    blocks.append(pick(n)(n))


def run(x):
    M, N = x.shape
    blocks = []
    grow(blocks, N)
    block = blocks[0]
    if block > 512:
        block = min([b for b in (block, 2048) if b >= N or b > 1024])
    even = N % block == 0 and M > 1
    warps = 4 + 4 * (block > 512)
    grid = lambda meta: (M, triton.cdiv(N, meta["BLOCK"]))
    out = torch.empty_like(x)
    relu2_kernel[grid](x, out, x.stride(0), out.stride(0), N, EVEN=even, BLOCK=block, num_warps=warps)
    return out
