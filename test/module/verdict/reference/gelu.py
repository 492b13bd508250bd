import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return F.gelu(x)


batch_size = 2048
features = 8192


def get_inputs():
    return [torch.rand(batch_size, features)]


def get_init_inputs():
    return []
