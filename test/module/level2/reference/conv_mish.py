import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, subtract):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.subtract = subtract

    def forward(self, x):
        return F.mish(self.conv(x) - self.subtract)


batch_size = 32
in_channels = 8
out_channels = 24
height, width = 100, 80
kernel_size = 3
subtract = 0.2


def get_inputs():
    return [torch.rand(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, subtract]
