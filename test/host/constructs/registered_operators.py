lib = torch.library.Library("mine", "FRAGMENT")
lib.define("relu2(Tensor x) -> Tensor")


@torch.library.impl(lib, "relu2", "CUDA")
def relu2_cuda(x):
    return launch(x)


@torch.library.impl(lib, "relu2", "CPU")
def relu2_cpu(x):
    return torch.relu(x).square()


@torch.library.register_fake("mine::relu2")
def _(x):
    return torch.empty_like(x)


def run(x):
    return torch.ops.mine.relu2(x)
# --- parse_reject: torch.ops.mine.relu2
lib = torch.library.Library("mine", "FRAGMENT")


def relu2_cpu(x):
    return launch(x)


lib.impl("relu2", relu2_cpu, "CPU")


def run(x):
    return torch.ops.mine.relu2(x)
# --- parse_reject: torch.ops.aten.relu
def run(x):
    return torch.ops.aten.relu(x)
