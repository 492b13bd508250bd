# library: all
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scaled_softmax(s_ptr, n, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    s = tl.load(s_ptr + row * n + i, mask=i < n, other=-float("inf")) * scale
    e = tl.exp(s - tl.max(s, axis=0))
    tl.store(s_ptr + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, q, k):
        s = torch.matmul(q, k.transpose(-2, -1))
        n = s.shape[-1]
        scaled_softmax[(s.numel() // n,)](s, n, 0.125, BLOCK=triton.next_power_of_2(n))
        return s
