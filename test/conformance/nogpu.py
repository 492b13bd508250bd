"""What hosts ask of a GPU, answered without one: tensors stay on the CPU and say that they are not there."""
import types

import torch
from torch.overrides import TorchFunctionMode

H200 = {
    "name": "NVIDIA H200",
    "major": 9,
    "minor": 0,
    "multi_processor_count": 132,
    "warp_size": 32,
    "max_threads_per_multi_processor": 2048,
    "regs_per_multiprocessor": 65536,
    "shared_memory_per_block": 49152,
    "shared_memory_per_block_optin": 232448,
    "shared_memory_per_multiprocessor": 233472,
    "total_memory": 150_000_000_000,
    "L2_cache_size": 60 << 20,
}


class Here(TorchFunctionMode):
    """device="cuda" means the CPU."""

    def __torch_function__(self, function, types_, args=(), kwargs=None):
        if function == torch.Tensor.is_cuda.__get__:
            return True
        kwargs = dict(kwargs or {})
        if str(kwargs.get("device", "")).startswith("cuda"):
            kwargs["device"] = "cpu"
        return function(*args, **kwargs)


class NoDevice:
    """torch.cuda.device(...), and torch.cuda.stream(...)."""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def pretend():
    torch.cuda.get_device_properties = lambda device=None: types.SimpleNamespace(**H200)
    torch.cuda.get_device_capability = lambda device=None: (9, 0)
    torch.cuda.current_device = lambda: 0
    torch.cuda.synchronize = lambda device=None: None
    torch.cuda.device = torch.cuda.stream = NoDevice
    Here().__enter__()
