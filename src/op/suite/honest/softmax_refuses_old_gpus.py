# op: softmax
# about: GPUs that are too old are refused
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, scale * (p / tl.sum(p, axis=0)), mask=mask)


def softmax(x, scale=1.0):
    M, N = x.shape
    out = torch.empty_like(x)
    sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, scale, BLOCK=triton.next_power_of_2(N))
    return out


def run(x):
    if torch.cuda.get_device_capability()[0] < 7:
        raise RuntimeError('too old')
    return softmax(x)
