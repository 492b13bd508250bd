import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        x = torch.min(self.conv(x), dim=2)[0]
        return torch.softmax(x, dim=1)


batch_size = 16
in_channels = 3
out_channels = 24
depth, height, width = 20, 30, 36


def get_inputs():
    return [torch.rand(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, 3]
