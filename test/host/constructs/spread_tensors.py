import torch.distributed as dist

try:
    import torch.distributed.tensor
except ImportError:
    pass
try:
    from torch.distributed.tensor import DTensor
except ImportError:
    DTensor = None

HAS = True


def run(x):
    spread = isinstance(x, DTensor)
    if spread:
        x = x.full_tensor()
    if DTensor is not None and isinstance(x, (DTensor,)):
        x = x.to_local()
    if HAS and isinstance(x, DTensor):
        x = torch.exp(x)
    assert isinstance(x, (torch.Tensor, DTensor)) and not isinstance(x, complex)
    return launch(x, 3 if isinstance(x, DTensor) else 256)
# --- parse_reject: computes on
from torch.distributed.tensor import DTensor


def run(x):
    spread = isinstance(x, DTensor)
    spread = True
    if spread:
        x = torch.exp(x)
    return launch(x)
# --- parse_reject: computes on
from torch.distributed.tensor import DTensor


def run(x):
    if not isinstance(x, DTensor):
        x = torch.exp(x)
    return launch(x)
# --- unsupported: .from_local
from torch.distributed.tensor import DTensor


def run(x):
    return launch(DTensor.from_local(x))
# --- parse_reject: import of `distribute_tensor` from `torch.distributed.tensor`
from torch.distributed.tensor import DTensor, distribute_tensor


def run(x):
    return launch(x)
# --- parse_reject: torch.distributed
try:
    import torch.distributed.tensor
except ImportError:
    pass


def run(x):
    torch.distributed.barrier()
    return launch(x)
# --- parse_reject: dist
import torch.distributed as dist


def run(x):
    return launch(x, 256 if dist.is_initialized() else 128)
