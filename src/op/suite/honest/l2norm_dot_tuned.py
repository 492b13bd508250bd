# op: l2norm
# about: sums of squares by a matrix product, tuned over configs of which the second asks for too much shared memory for float32
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"LINES": 64}, num_warps=4, num_stages=2),
        triton.Config({"LINES": 512}, num_warps=8, num_stages=5),
        triton.Config({"LINES": 128}, num_warps=4, num_stages=3),
    ],
    key=["N"],
)
@triton.jit
def l2norm_dot_tuned(x_ptr, y_ptr, N, sx, sy, eps, LINES: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, LINES)[:, None] * 32 + tl.arange(0, 32)[None, :]
    ones = tl.full((32, 16), 1.0, tl.float32)
    sums = tl.zeros((LINES, 16), tl.float32)
    for k in range(0, N, LINES * 32):
        x = tl.load(x_ptr + row * sx + k + cols, mask=k + cols < N, other=0.0).to(tl.float32)
        sums += tl.dot(x * x, ones, input_precision="ieee")
    scale = tl.rsqrt(tl.sum(tl.max(sums, axis=1), axis=0) + eps)  # the columns are all alike
    for k in range(0, N, LINES * 32):
        x = tl.load(x_ptr + row * sx + k + cols, mask=k + cols < N, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * sy + k + cols, x * scale, mask=k + cols < N)


def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    l2norm_dot_tuned[(M,)](x, y, N, x.stride(0), y.stride(0), 1e-6)
    return y
