# op: layernorm_tanh
# about: persistent programs that draw the next row from a counter until none is left
import torch
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    # e^-2|x| never overflows
    t = tl.exp(-2.0 * tl.abs(x))
    small = x * (1.0 - x * x * 0.3333333333)
    big = tl.where(x < 0, -1.0, 1.0) * (1.0 - t) / (1.0 + t)
    return tl.where(tl.abs(x) < 0.02, small, big)


@triton.jit
def ln_tanh(x_ptr, w_ptr, b_ptr, y_ptr, next_ptr, M, N, sx, sy, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    row = tl.atomic_add(next_ptr, 1)
    while row < M:
        at = row.to(tl.int64)
        x = tl.load(x_ptr + at * sx + cols, mask=mask, other=0.0).to(tl.float32)
        mean = tl.sum(x, axis=0) / N
        x = tl.where(mask, x - mean, 0.0)
        rstd = tl.rsqrt(tl.sum(x * x, axis=0) / N + 1e-5)
        tl.store(y_ptr + at * sy + cols, tanh(x * rstd * w + b), mask=mask)
        row = tl.atomic_add(next_ptr, 1)


def run(x, w, b):
    M, N = x.shape
    y = torch.empty_like(x)
    counter = torch.zeros(1, dtype=torch.int32, device=x.device)
    programs = min(M, torch.cuda.get_device_properties(0).multi_processor_count)
    ln_tanh[(programs,)](x, w, b, y, counter, M, N, x.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(N))
    return y
