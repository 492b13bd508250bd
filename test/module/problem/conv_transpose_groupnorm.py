import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, num_groups):
        super(Model, self).__init__()
        self.up = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride, padding=1, output_padding=1, dilation=2)
        self.norm = nn.GroupNorm(num_groups, out_channels)
        self.act = nn.Hardswish()

    def forward(self, x):
        return self.act(self.norm(self.up(x)))


in_channels, out_channels, num_groups = 64, 160, 32
stride = 3


def get_inputs():
    return [torch.rand(8, in_channels, 96, 80)]


def get_init_inputs():
    return [in_channels, out_channels, 4, stride, num_groups]
