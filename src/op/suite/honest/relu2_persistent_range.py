# op: relu2
# about: as many programs as processors, each takes every so-manieth block with tl.range
import torch
import triton
import triton.language as tl


@triton.jit
def relu_squared(x_ptr, y_ptr, total, NUM_PROGRAMS: tl.constexpr, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    blocks = tl.cdiv(total, BLOCK)
    for block in tl.range(tl.program_id(0), blocks, NUM_PROGRAMS, num_stages=STAGES):
        at = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        inside = at < total
        v = tl.load(x_ptr + at, mask=inside, other=0.0, eviction_policy="evict_first").to(tl.float32)
        v = tl.maximum(v, 0.0)
        tl.store(y_ptr + at, (v * v).to(y_ptr.dtype.element_ty), mask=inside, cache_modifier=".cs")


def run(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    total = x.numel()
    props = torch.cuda.get_device_properties(x.device)
    BLOCK = 2048
    programs = min(props.multi_processor_count, triton.cdiv(total, BLOCK))
    relu_squared[(programs,)](x, y, total, NUM_PROGRAMS=programs, BLOCK=BLOCK, STAGES=3, num_warps=8)
    return y
