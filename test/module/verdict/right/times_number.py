import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def times_kernel(x_ptr, y_ptr, s, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x * s, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()

    def forward(self, A, s):
        C = torch.empty_like(A)
        n = A.numel()
        times_kernel[(triton.cdiv(n, 512),)](A, C, s, n, BLOCK=512)
        return C
