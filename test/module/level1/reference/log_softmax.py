import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.log_softmax(x, dim=-1)


rows, columns = 2048, 6000


def get_inputs():
    return [torch.rand(rows, columns)]
