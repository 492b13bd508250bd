# The modules and functions of PyTorch that references in module form have besides a reference's own
# operations, spelled out in those and in a few primitives (library.*). A name with a dot, such as nn.Conv2d or
# F.pad, stands here with an underscore; Tensor_flip is the method .flip. In here a name means the primitive
# first. Parameters are the referee's: library.param(size, role, fan) is told only how one is used.


def several(x, n):
    if isinstance(x, int):
        return (x,) * n
    if len(x) == 1 and n > 1:
        return tuple(x) * n
    if len(x) != n:
        library.refuse("one size, or one for each axis, is expected")
    return tuple(x)


class nn_Module:
    def register_buffer(self, name, tensor, persistent=True):
        setattr(self, name, tensor)

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def add_module(self, name, module):
        setattr(self, name, module)

    def to(self, *args):
        return self


class nn_Sequential(nn.Module):
    def __init__(self, *layers):
        self.layers = layers
        for i, layer in enumerate(layers):
            setattr(self, str(i), layer)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class nn_Identity(nn.Module):
    def __init__(self, *args):
        pass

    def forward(self, x):
        return x
