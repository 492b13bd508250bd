import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


m, k, n = 2048, 1024, 4096


def get_inputs():
    return [torch.rand(m, k), torch.rand(k, n)]
