# A kernel that something else launches (a framework, a benchmark): the file has no run(). How it is launched stands
# in launch.json. Right:
#     ouroboros referee examples/launched.py --op silu --manifest examples/launch.json
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * y_stride + cols, x / (1.0 + tl.exp(-x)), mask=mask)
