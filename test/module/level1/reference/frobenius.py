import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x / torch.norm(x, p="fro")


rows, columns = 4096, 1024


def get_inputs():
    return [torch.rand(rows, columns)]
