# op: add_rmsnorm_elu
# about: pointers and strides go to the kernel as tuples
import torch
import triton
import triton.language as tl


@triton.jit
def load_row(ptr, row, stride, cols, N):
    return tl.load(ptr + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)


@triton.jit
def norm_of_sum(inputs, strides, w_ptr, y_ptr, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    a = load_row(inputs[0], row, strides[0], cols, N)
    b = load_row(inputs[1], row, strides[1], cols, N)
    h = a + b
    mean_square = tl.sum(h * h) / N
    h = h / tl.sqrt(mean_square + 1e-6) * load_row(w_ptr, 0, 0, cols, N)
    # e^h - 1 loses digits near zero: its series there
    near = h * (1.0 + h * (0.5 + h * (0.16666667 + h * 0.041666668)))
    far = tl.exp(h) - 1.0
    below = tl.where(h > -0.05, near, far)
    tl.store(y_ptr + row * y_stride + cols, tl.where(h > 0.0, h, below), mask=cols < N)


def run(x, residual, w):
    M, N = x.shape
    y = torch.empty_like(x)
    norm_of_sum[(M,)](
        (x, residual), (x.stride(0), residual.stride(0)), w, y, y.stride(0), N, BLOCK=triton.next_power_of_2(N)
    )
    return y
