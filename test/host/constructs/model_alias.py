import torch.nn as nn


class TritonModel(nn.Module):
    def __init__(self):
        super(TritonModel, self).__init__()

    def forward(self, x):
        return launch(x)


ModelNew = TritonModel
# --- parse_reject: compute on tensors
import torch.nn as nn


class TritonModel(nn.Module):
    def forward(self, x):
        return launch(x) + x


ModelNew = TritonModel
