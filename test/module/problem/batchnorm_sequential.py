import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, hidden):
        super(Model, self).__init__()
        self.body = nn.Sequential(nn.Linear(features, hidden), nn.BatchNorm1d(hidden), nn.LeakyReLU(0.2), nn.Dropout(0.0))
        self.head = nn.Linear(hidden, 10, bias=False)

    def forward(self, x):
        return self.head(self.body(x))


features = 3072
hidden = 1536


def get_inputs():
    return [torch.rand(512, features)]


def get_init_inputs():
    return [features, hidden]
