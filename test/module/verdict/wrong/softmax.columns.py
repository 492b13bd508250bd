# about: over the other axis
# expect: incorrect|inaccurate|nan_class|oob|uncovered_output
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * n + row, mask=i < tl.num_programs(0), other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + i * n + row, e / tl.sum(e, axis=0), mask=i < tl.num_programs(0))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        y = torch.empty_like(x)
        softmax_kernel[(n,)](x, y, n, BLOCK=triton.next_power_of_2(rows))
        return y
