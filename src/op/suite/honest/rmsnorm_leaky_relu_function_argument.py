# op: rmsnorm_leaky_relu
# about: the activation is a jit function, handed to the kernel as a constexpr
import torch
import triton
import triton.language as tl


@triton.jit
def leaky_relu(v):
    return tl.where(v >= 0, v, 0.01 * v)


@triton.jit
def rmsnorm_with(x_ptr, w_ptr, y_ptr, M, N, sx, sy, ACTIVATION: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < M) & (cols < N)
    at = rows.to(tl.int64)
    x = tl.load(x_ptr + at * sx + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    ms = tl.sum(x * x, axis=1, keep_dims=True) / N
    y = ACTIVATION(x * tl.rsqrt(ms + 1e-6) * w)
    tl.store(y_ptr + at * sy + cols, y.to(y_ptr.dtype.element_ty), mask=mask)


def run(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(N)
    ROWS = 1 if BLOCK > 512 else 1024 // BLOCK
    rmsnorm_with[(triton.cdiv(M, ROWS),)](
        x, w, y, M, N, x.stride(0), y.stride(0), ACTIVATION=leaky_relu, ROWS=ROWS, BLOCK=BLOCK, num_warps=8
    )
    return y
