import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels)

    def forward(self, x, y):
        return (self.norm(x) + y) * y


batch_size, channels, height, width = 8, 20, 40, 36


def get_inputs():
    return [torch.rand(batch_size, channels, height, width), torch.rand(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels]
