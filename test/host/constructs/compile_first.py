# A kernel that is compiled first and asked for its size, as Triton's tutorial has it.
import torch
import triton
import triton.language as tl

NUM_REGS = triton.runtime.driver.active.utils.get_device_properties(0)["max_num_regs"]


@triton.jit
def relu2(x_ptr, y_ptr, stride, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), m, tl.num_programs(0)):
        at = row.to(tl.int64)
        x = tl.maximum(tl.load(x_ptr + at * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
        tl.store(y_ptr + at * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    BLOCK = triton.next_power_of_2(n)
    kernel = relu2.warmup(x, y, x.stride(0), m, n, BLOCK=BLOCK, num_warps=8, grid=(1,))
    kernel._init_handles()
    occupancy = NUM_REGS // (kernel.n_regs * 32 * 8)
    programs = min(132 * occupancy, m)
    kernel[(programs, 1, 1)](x, y, x.stride(0), m, n, BLOCK)
    return y
# --- unsupported: launch the kernel itself
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    kernel = relu2.warmup(x, y, x.stride(0), n, BLOCK=512, grid=(1,))
    kernel[(m,)](x, y, x.stride(0), n + 1)
    return y
# --- unsupported: what Triton's compiler tells
def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    kernel = relu2.warmup(x, y, x.stride(0), n, BLOCK=256, grid=(1,))
    blocks = triton.cdiv(n, 256)
    if kernel.n_regs == 37:
        blocks = 1
    relu2[(m, blocks)](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- unsupported: what Triton's compiler tells
def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    kernel = relu2.warmup(x, y, x.stride(0), n, BLOCK=256, grid=(1,))
    regs = kernel.n_regs
    half = max(1, 2 * min(1, regs // 37) * min(1, 37 // regs))
    relu2[(m // half, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- uncovered_output: unwritten
import torch
import triton
import triton.language as tl


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    kernel = relu2.warmup(x, y, x.stride(0), n, BLOCK=512, grid=(1,))
    kernel[(min(m, 96 // kernel.n_regs),)](x, y, x.stride(0), n, 512)
    return y
