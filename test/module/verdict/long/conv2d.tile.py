# about: one tile for each plane, of 64 places
# expect: uncovered_output
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(x_ptr, w_ptr, b_ptr, y_ptr, CI, CO, H, W, OH, OW, stride, pad_h, pad_w, KH: tl.constexpr,
                  KW: tl.constexpr, BLOCK: tl.constexpr):
    n = tl.program_id(0) // CO
    co = tl.program_id(0) % CO
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    oh, ow = o // OW, o % OW
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for ci in range(0, CI):
        for kh in tl.static_range(KH):
            for kw in tl.static_range(KW):
                h = oh * stride - pad_h + kh
                w = ow * stride - pad_w + kw
                inside = (o < OH * OW) & (h >= 0) & (h < H) & (w >= 0) & (w < W)
                x = tl.load(x_ptr + ((n * CI + ci) * H + h) * W + w, mask=inside, other=0.0)
                acc += x * tl.load(w_ptr + ((co * CI + ci) * KH + kh) * KW + kw)
    acc += tl.load(b_ptr + co)
    tl.store(y_ptr + (n * CO + co) * OH * OW + o, acc, mask=o < OH * OW)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        N, CI, H, W = x.shape
        KH, KW = self.conv.kernel_size
        stride = self.conv.stride[0]
        pad_h, pad_w = self.conv.padding
        CO = self.conv.out_channels
        OH = (H + 2 * pad_h - KH) // stride + 1
        OW = (W + 2 * pad_w - KW) // stride + 1
        y = torch.empty((N, CO, OH, OW), device=x.device, dtype=x.dtype)
        grid = (N * CO, 1)
        conv2d_kernel[grid](x, self.conv.weight, self.conv.bias, y, CI, CO, H, W, OH, OW, stride, pad_h, pad_w, KH=KH,
                            KW=KW, BLOCK=64)
        return y
