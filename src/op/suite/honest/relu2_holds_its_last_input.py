# op: relu2
# about: keeps its last input and output, as modules do that are debugged, and never looks at them
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, out_ptr, n, N, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    v = tl.maximum(tl.load(x_ptr + at // N * stride + at % N, mask=mask, other=0.0).to(tl.float32), 0.0)
    tl.store(out_ptr + at, v * v, mask=mask)


def relu2_into(x, out):
    relu2_kernel[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), x.shape[1], x.stride(0), BLOCK=512)
    return out


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.last = None

    def forward(self, x):
        y = relu2_into(x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
        self.last = (x, y)
        self.seen.append((x.shape[0], x.shape[1]))
        if len(self.seen) > 8:
            self.seen = []
        return y
