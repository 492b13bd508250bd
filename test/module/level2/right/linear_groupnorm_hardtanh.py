# library: all
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def group_norm_hardtanh(x_ptr, w_ptr, b_ptr, y_ptr, features, size, eps, BLOCK: tl.constexpr):
    row, group = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, BLOCK)
    at = group * size + i
    x = tl.load(x_ptr + row * features + at, mask=i < size, other=0.0)
    mean = tl.sum(x, axis=0) / size
    d = tl.where(i < size, x - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / size + eps)
    y = d * scale * tl.load(w_ptr + at, mask=i < size, other=0.0) + tl.load(b_ptr + at, mask=i < size, other=0.0)
    y = tl.minimum(tl.maximum(y, -2.0), 2.0)
    tl.store(y_ptr + row * features + at, y, mask=i < size)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)

    def forward(self, x):
        x = self.gemm(x)
        rows, features = x.shape
        groups = self.group_norm.num_groups
        y = torch.empty_like(x)
        group_norm_hardtanh[(rows, groups)](x, self.group_norm.weight, self.group_norm.bias, y, features,
                                            features // groups, self.group_norm.eps,
                                            BLOCK=triton.next_power_of_2(features // groups))
        return y
