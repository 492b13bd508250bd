import torch
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    def __init__(self, channels, kernel_size):
        super(Model, self).__init__()
        self.conv = nn.Conv1d(channels, 128, kernel_size, padding=kernel_size // 2, bias=False)

    def forward(self, x):
        return F.glu(self.conv(x), dim=1)


def get_inputs():
    return [torch.randn(16, 48, 10000)]


def get_init_inputs():
    return [48, 5]
