from flag_gems import runtime
from liger_kernel.ops.utils import calculate_settings, element_mul_kernel, torch_to_triton_dtype
from sglang.srt.utils import get_device_name, is_cuda, is_hip
from vllm.platforms import current_platform
from fla.ops.utils.index import prepare_chunk_indices
import vllm.envs as envs


def run(x):
    assert is_cuda() and not is_hip() and not current_platform.is_rocm()
    BLOCK, warps = calculate_settings(x.shape[1])
    return launch(x, min(BLOCK, 256))
# --- unsupported: import of `prepare_chunk_indices` from `fla.ops.utils.index`
from fla.ops.utils.index import prepare_chunk_indices


def run(x):
    return launch(x, prepare_chunk_indices(x))
# --- unsupported: import of `half` from `sglang.srt.layers.words`
import torch
import triton
import triton.language as tl
from sglang.srt.layers.words import half


@triton.jit
def relu2(x_ptr, y_ptr, n):
    tl.store(y_ptr, half(tl.load(x_ptr)))


def run(x):
    y = torch.empty_like(x)
    relu2[(1,)](x, y, 3)
    return y
