# op: gelu
# about: an answer to a benchmark, with its inputs
import torch
import triton
import triton.language as tl
from triton import cdiv


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_SIZE": 128}, num_warps=4),
        triton.Config({"BLOCK_SIZE": 256}, num_warps=4),
        triton.Config({"BLOCK_SIZE": 512}, num_warps=4),
        triton.Config({"BLOCK_SIZE": 1024}, num_warps=8),
    ],
    key=["n_elements"],
)
@triton.jit
def gelu_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n_elements
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    x32 = x.to(tl.float32)
    # tanh approximation
    sqrt_2_over_pi = 0.7978845608028654
    inner = sqrt_2_over_pi * (x32 + 0.044715 * x32 * x32 * x32)
    e = tl.exp(-2.0 * tl.abs(inner))
    t = (1.0 - e) / (1.0 + e)
    t = tl.where(inner < 0, -t, t)
    y = 0.5 * x32 * (1.0 + t)
    tl.store(y_ptr + offs, y.to(x.dtype), mask=mask)


def triton_gelu(x: torch.Tensor) -> torch.Tensor:
    """
    Applies GELU activation using the Triton kernel.
    """
    assert x.is_cuda, "Tensor must be on CUDA."
    x = x.contiguous()
    y = torch.empty_like(x)
    n_elements = x.numel()
    grid = lambda meta: (cdiv(n_elements, meta["BLOCK_SIZE"]),)
    gelu_kernel[grid](x, y, n_elements)
    return y


class ModelNew(torch.nn.Module):
    """
    Optimized model.
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x):
        return triton_gelu(x)


batch_size = 16
dim = 16384


def get_inputs():
    x = torch.randn(batch_size, dim)
    return [x]


def get_init_inputs():
    return []  # No special initialization inputs needed
