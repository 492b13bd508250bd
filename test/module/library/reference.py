import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.conv = nn.Conv2d(n, m, 3)
        self.pool = nn.MaxPool2d(2)
        self.norm = nn.GroupNorm(4, m)

    def forward(self, x):
        x = self.conv(x)
        x = self.norm(x)
        x = torch.relu(x)
        x = self.pool(x)
        return x * 0.5


n, m = 8, 16


def get_inputs():
    return [torch.rand(4, n, 34, 34)]


def get_init_inputs():
    return [n, m]
