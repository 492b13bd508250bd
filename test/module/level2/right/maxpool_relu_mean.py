import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pool_relu_mean(x_ptr, y_ptr, H, W, OH, OW, K: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, OH * OW, BLOCK):
        o = start + tl.arange(0, BLOCK)
        ok = o < OH * OW
        best = tl.zeros((BLOCK,), tl.float32)  # of relu
        for i in tl.static_range(K):
            for j in tl.static_range(K):
                x = tl.load(x_ptr + plane * H * W + (o // OW * K + i) * W + o % OW * K + j, mask=ok, other=0.0)
                best = tl.maximum(best, x, propagate_nan=tl.PropagateNan.ALL)
        total += best
    tl.store(y_ptr + plane, tl.sum(total) / (OH * OW))


class ModelNew(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, x):
        N, C, H, W = x.shape
        y = torch.empty((N, C), device=x.device, dtype=x.dtype)
        pool_relu_mean[(N * C,)](x, y, H, W, H // self.kernel_size, W // self.kernel_size, K=self.kernel_size, BLOCK=256)
        return y
