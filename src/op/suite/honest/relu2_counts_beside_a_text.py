# op: relu2
# expect: ok
# about: counts under texts, which nothing of the answer follows from, and a buffer for each shape that every call fills anew
import torch
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, y_ptr, x_stride, y_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.maximum(x, 0.0)
    tl.store(y_ptr + row * y_stride + cols, r * r, mask=mask)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stats = {"name": "relu2", "calls": 0, "rows": 0}
        self.blocks = {}

    def forward(self, x):
        M, N = x.shape
        self.stats["calls"] += 1
        self.stats["rows"] += M
        if N not in self.blocks:
            self.blocks[N] = triton.next_power_of_2(N)
        y = torch.empty_like(x)
        relu2_kernel[(M,)](x, y, x.stride(0), y.stride(0), N, BLOCK=self.blocks[N])
        return y
