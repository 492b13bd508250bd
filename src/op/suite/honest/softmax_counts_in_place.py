# op: softmax
# about: an object counts calls and keeps blocks by augmented assignment and by items of what it holds
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.blocks = {}
        self.of_warps = [0, 0]

    def forward(self, x):
        M, N = x.shape
        out = torch.empty_like(x)
        self.calls += 1
        if N not in self.blocks:
            self.blocks[N] = triton.next_power_of_2(N)
        warps = 8 if N > 2048 else 4
        self.of_warps[warps // 8] += 1
        softmax_kernel[(M,)](
            x, out, x.stride(0), out.stride(0), N, BLOCK=self.blocks[N], num_warps=warps
        )
        return out
