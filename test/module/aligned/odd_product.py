import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


m, k, n = 2000, 1000, 4000


def get_inputs():
    return [torch.rand(m, k), torch.rand(k, n)]
