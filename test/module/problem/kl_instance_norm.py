import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels):
        super(Model, self).__init__()
        self.norm = nn.InstanceNorm1d(channels, affine=True)

    def forward(self, x, target):
        return F.kl_div(F.log_softmax(self.norm(x), dim=-1), target, reduction="batchmean")


def get_inputs():
    return [torch.rand(128, 24, 512), torch.rand(128, 24, 512).softmax(dim=-1)]


def get_init_inputs():
    return [24]
