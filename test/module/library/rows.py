import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)

    def forward(self, x):
        x = F.gelu(self.norm(x))
        return torch.softmax(x, dim=-1) + x.mean(dim=-1, keepdim=True)


n = 96


def get_inputs():
    return [torch.rand(24, n)]


def get_init_inputs():
    return [n]
