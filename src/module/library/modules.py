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


def float32_alone(dtype):
    if dtype is not None and dtype != torch.float32:
        library.refuse("parameters of another dtype than float32 are not read in module form")


def not_read(what):
    library.refuse("`." + what + "()` of a module is not read in module form")


class nn_Module:
    def register_buffer(self, name, tensor, persistent=True):
        setattr(self, name, tensor)

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def add_module(self, name, module):
        setattr(self, name, module)

    def to(self, device=None, dtype=None):
        for x in (device, dtype):
            if x is not None and not isinstance(x, str):
                float32_alone(x)
        return self

    def cuda(self, device=None):
        return self

    def float(self):
        return self

    def half(self):
        float32_alone(torch.float16)

    def bfloat16(self):
        float32_alone(torch.bfloat16)

    def double(self):
        float32_alone(torch.float64)

    def eval(self):
        not_read("eval")

    def train(self, mode=True):
        not_read("train")

    def apply(self, fn):
        not_read("apply")

    def parameters(self, recurse=True):
        not_read("parameters")

    def state_dict(self):
        not_read("state_dict")

    def load_state_dict(self, state_dict, strict=True):
        not_read("load_state_dict")


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
