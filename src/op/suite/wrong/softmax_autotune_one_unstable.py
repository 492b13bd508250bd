# op: softmax
# expect: nan_class
# about: one of two configurations leaves the maximum subtraction out
# attack: A48 T12
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"STABLE": True}), triton.Config({"STABLE": False})], key=["N"])
@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr, STABLE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    if STABLE:
        x = x - tl.max(x, axis=0)
    p = tl.exp(x)
    y = p / tl.sum(p, axis=0)
    tl.store(out_ptr + row * out_stride + cols, y, mask=mask)

def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    sm_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
