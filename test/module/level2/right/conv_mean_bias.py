import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv_mean(x_ptr, w_ptr, cb_ptr, b_ptr, y_ptr, CI, CO, H, W, OH, OW, KS: tl.constexpr, BLOCK: tl.constexpr):
    n, co = tl.program_id(0), tl.program_id(1)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, OH * OW, BLOCK):
        p = start + tl.arange(0, BLOCK)
        ok = p < OH * OW
        for ci in range(CI):
            for tap in range(KS * KS):
                kh, kw = tap // KS, tap % KS
                x = tl.load(x_ptr + ((n * CI + ci) * H + p // OW + kh) * W + p % OW + kw, mask=ok, other=0.0)
                total += x * tl.load(w_ptr + (co * CI + ci) * KS * KS + tap)
    mean = tl.sum(total, axis=0) / (OH * OW) + tl.load(cb_ptr + co)
    tl.store(y_ptr + n * CO + co, tl.sigmoid(mean + tl.load(b_ptr + co)))


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        N, CI, H, W = x.shape
        CO, _, KS, _ = self.conv.weight.shape
        y = torch.empty((N, CO, 1, 1), device=x.device, dtype=x.dtype)
        conv_mean[(N, CO)](x, self.conv.weight, self.conv.bias, self.bias, y, CI, CO, H, W, H - KS + 1, W - KS + 1, KS=KS,
                           BLOCK=128)
        return y
