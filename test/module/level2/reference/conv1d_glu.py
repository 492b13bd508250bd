import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv1d(channels, 2 * channels, kernel_size, padding=kernel_size // 2)

    def forward(self, x):
        a, b = torch.chunk(self.conv(x), 2, dim=1)
        return a * torch.sigmoid(b)


batch_size = 12
channels = 20
length = 500


def get_inputs():
    return [torch.rand(batch_size, channels, length)]


def get_init_inputs():
    return [channels, 5]
