import torch.nn as nn


class Base(nn.Module):
    SIZE = 64

    def __init__(self, scale):
        super().__init__()
        self.block = self.SIZE * scale

    def forward(self, x):
        return launch(x, self.block)

    def twice(self):
        return self.block * 2


class Middle(Base):
    SIZE = 32

    def __init__(self, scale, more):
        super().__init__(scale)
        self.block = self.block * more


class ModelNew(Middle):
    def __init__(self):
        super(ModelNew, self).__init__(2, 4)
        assert self.block == 256 and self.twice() == 512

    def forward(self, x):
        return super().forward(x)
# --- unsupported: class
import torch.nn as nn


class Base(nn.Module):
    def forward(self, x):
        return launch(x)


class ModelNew(Base):
    def forward(self, x):
        return launch(x, 256 if isinstance(self, Base) else 3)
# --- compile_fail: power of 2
import torch.nn as nn


class Base(nn.Module):
    def size(self):
        return 256

    def forward(self, x):
        return launch(x, self.size())


class ModelNew(Base):
    def size(self):
        return 3
# --- unsupported: .block
import torch.nn as nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = 256


class ModelNew(Base):
    def __init__(self):
        self.other = 3

    def forward(self, x):
        return launch(x, self.block)
