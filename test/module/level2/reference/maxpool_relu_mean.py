import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size)

    def forward(self, x):
        return torch.mean(torch.relu(self.pool(x)), dim=(2, 3))


batch_size = 12
channels = 20
height, width = 90, 70


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [2]
