import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.constant = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        x = torch.min(self.linear(x), self.constant)
        return x - self.constant


batch_size = 96
in_features = 300
out_features = 200


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
