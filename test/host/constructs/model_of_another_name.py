import torch.nn as nn


class TritonModel(nn.Module):
    def forward(self, x):
        return launch(x)


def other(x):
    return x
# --- parse_reject: compute on tensors
import torch.nn as nn


class TritonModel(nn.Module):
    def forward(self, x):
        return launch(x) + x
