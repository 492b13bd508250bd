# op: rmsnorm
# form: Triton's layer norm tutorial without the mean: the sum of squares and the answer in two loops over blocks of at most 64 KiB
import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, y_ptr, w_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x * x
    rstd = 1 / tl.sqrt(tl.sum(total, axis=0) / N + 1e-6)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, x * rstd * w, mask=mask)


def run(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    BLOCK = min(65536 // x.element_size(), triton.next_power_of_2(N))
    rms_norm_kernel[(M,)](x, y, w, x.stride(0), y.stride(0), N, BLOCK=BLOCK, num_warps=min(max(BLOCK // 256, 1), 8))
    return y
