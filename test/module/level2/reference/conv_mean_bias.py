import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        x = torch.mean(self.conv(x), dim=(2, 3), keepdim=True)
        return torch.sigmoid(x + self.bias)


batch_size = 10
in_channels = 6
out_channels = 20
height, width = 40, 36


def get_inputs():
    return [torch.rand(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, 3, (out_channels, 1, 1)]
