import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=groups)
        self.scale = nn.Parameter(torch.ones(out_channels, 1, 1))

    def forward(self, x):
        return torch.sigmoid(self.conv(x) * self.scale)


batch, in_channels, out_channels, groups = 32, 96, 192, 12
height, width = 200, 120


def get_inputs():
    return [torch.rand(batch, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, (3, 5), groups]
