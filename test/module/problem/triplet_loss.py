import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, margin=1.0):
        super(Model, self).__init__()
        self.loss = torch.nn.TripletMarginLoss(margin=margin)

    def forward(self, anchor, positive, negative):
        return self.loss(anchor, positive, negative)


batch_size = 1 << 12
width = 1000


def get_inputs():
    scale = torch.rand(())
    return [torch.rand(batch_size, width) * scale, torch.rand(batch_size, width), torch.rand(batch_size, width)]


def get_init_inputs():
    return [1.5]
