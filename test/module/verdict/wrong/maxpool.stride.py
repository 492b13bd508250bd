# about: another stride between windows
# expect: incorrect|inaccurate|nan_class
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def maxpool_kernel(x_ptr, y_ptr, H, W, OH, OW, stride, padding, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    oh, ow = o // OW, o % OW
    best = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    for kh in tl.static_range(SIZE):
        for kw in tl.static_range(SIZE):
            h = oh * (stride - 1) - padding + kh
            w = ow * stride - padding + kw
            inside = (o < OH * OW) & (h >= 0) & (h < H) & (w >= 0) & (w < W)
            x = tl.load(x_ptr + plane * H * W + h * W + w, mask=inside, other=-float("inf"))
            best = tl.maximum(best, x)
    tl.store(y_ptr + plane * OH * OW + o, best, mask=o < OH * OW)


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def forward(self, x):
        batch, channels, H, W = x.shape
        OH = (H + 2 * self.padding - self.kernel_size) // self.stride + 1
        OW = (W + 2 * self.padding - self.kernel_size) // self.stride + 1
        y = torch.empty((batch, channels, OH, OW), device=x.device, dtype=x.dtype)
        grid = (batch * channels, triton.cdiv(OH * OW, 128))
        maxpool_kernel[grid](x, y, H, W, OH, OW, self.stride, self.padding, SIZE=self.kernel_size, BLOCK=128)
        return y
