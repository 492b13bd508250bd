import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.pool = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False, ceil_mode=True)

    def forward(self, x, factor):
        return torch.logsumexp(self.pool(F.pad(x, (1, 2, 0, 3), value=0.5)) * factor, dim=(2, 3))


def get_inputs():
    return [torch.rand(64, 64, 130, 90), 1.75]


def get_init_inputs():
    return []
