# library: all
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bias_clamp(x_ptr, b_ptr, y_ptr, channels, plane, BLOCK: tl.constexpr):
    nc = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    b = tl.load(b_ptr + nc % channels)
    x = tl.load(x_ptr + nc * plane + i, mask=i < plane, other=0.0) + b
    # clamp(2 clamp(x, 0, 1), 0, 1) / 2 = clamp(x, 0, 1/2)
    tl.store(y_ptr + nc * plane + i, tl.clamp(x, 0.0, 0.5), mask=i < plane)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, bias_shape):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        x = self.conv_transpose(x)
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        bias_clamp[(N * C, triton.cdiv(H * W, 256))](x, self.bias, y, C, H * W, BLOCK=256)
        return y
