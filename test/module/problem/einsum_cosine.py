import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()

    def forward(self, a, b):
        scores = torch.einsum("bik,bjk->bij", a, b)
        norms = torch.norm(a, dim=-1).unsqueeze(2) * torch.norm(b, dim=-1).unsqueeze(1)
        return scores / (norms + 1e-6)


def get_inputs():
    return [torch.rand(64, 300, 512), torch.rand(64, 200, 512)]


def get_init_inputs():
    return []
