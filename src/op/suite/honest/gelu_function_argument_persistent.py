# op: gelu
# about: function argument persistent
import torch
import triton
import triton.language as tl


@triton.jit
def gelu_tanh(x):
    # 2 * sigmoid form
    return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@triton.jit
def apply(x_ptr, y_ptr, numel, BLOCK: tl.constexpr, fn: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(numel, BLOCK), tl.num_programs(0)):
        offs = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < numel)
        tl.store(y_ptr + offs, fn(x.to(tl.float32)), mask=offs < numel)


def run(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = y.numel()
    sm = torch.cuda.get_device_properties(x.device).multi_processor_count
    apply[(min(sm * 8, triton.cdiv(n, 1024)),)](x, y, n, BLOCK=1024, fn=gelu_tanh)
    return y
