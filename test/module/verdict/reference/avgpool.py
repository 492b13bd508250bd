import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.pool = nn.AvgPool1d(kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        return self.pool(x)


batch_size = 64
channels = 128
length = 65536


def get_inputs():
    return [torch.rand(batch_size, channels, length)]


def get_init_inputs():
    return [5, 2, 2]
