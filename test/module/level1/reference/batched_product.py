import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, A, B):
        return torch.bmm(A, B)


batch, m, k, n = 50, 100, 200, 300


def get_inputs():
    return [torch.rand(batch, m, k), torch.rand(batch, k, n)]
