# RMSNorm as an nn.Module, in the form of KernelBench: no run(), the referee enters by ModelNew. The parameters that it
# makes are the op's weights. Right:
#     ouroboros referee examples/module.py --op rmsnorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, y_ptr, x_stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / N + eps)
    tl.store(y_ptr + row * N + cols, x * scale * w, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        M, N = x.shape
        y = torch.empty((M, N), dtype=x.dtype, device=x.device)
        rmsnorm_kernel[(M,)](x, self.weight, y, x.stride(0), N, self.eps, BLOCK=triton.next_power_of_2(N))
        return y


def get_inputs():
    return [torch.randn(16, 1024)]


def get_init_inputs():
    return [1024]
