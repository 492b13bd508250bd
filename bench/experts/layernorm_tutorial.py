# op: layernorm
# form: the forward pass of Triton's layer norm tutorial: mean, variance and answer in three loops over blocks of at most 64 KiB; mean and
#   reciprocal deviation are stored, as it does for its backward pass: 8 bytes a row more
import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        total += x * x
    rstd = 1 / tl.sqrt(tl.sum(total, axis=0) / N + 1e-5)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for at in range(0, N, BLOCK):
        cols = at + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, (x - mean) * rstd * w + b, mask=mask)


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    mean = torch.empty((M,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((M,), dtype=torch.float32, device=x.device)
    BLOCK = min(65536 // x.element_size(), triton.next_power_of_2(N))
    layer_norm_kernel[(M,)](
        x, y, w, b, mean, rstd, x.stride(0), y.stride(0), N, BLOCK=BLOCK, num_warps=min(max(BLOCK // 256, 1), 8)
    )
    return y
