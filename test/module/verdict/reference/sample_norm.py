import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.ln = nn.LayerNorm(shape)

    def forward(self, x):
        return self.ln(x)


batch_size = 16
features = 64
height = 256
width = 256


def get_inputs():
    return [torch.rand(batch_size, features, height, width)]


def get_init_inputs():
    return [(features, height, width)]
