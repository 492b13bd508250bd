import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x):
        return torch.softmax(self.dropout(self.fc(x)), dim=1)


batch_size = 128
in_features = 400
out_features = 96


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
