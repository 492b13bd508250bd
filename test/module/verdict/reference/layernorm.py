import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x):
        return self.ln(x)


batch_size = 32
sequence = 500
features = 768


def get_inputs():
    return [torch.rand(batch_size, sequence, features)]


def get_init_inputs():
    return [features]
