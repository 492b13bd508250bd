import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        low = torch.amin(x, dim=1, keepdim=True)
        high = torch.amax(x, dim=1, keepdim=True)
        return (x - low) / (high - low + 0.1)


rows, columns = 4096, 1500


def get_inputs():
    return [torch.rand(rows, columns)]
