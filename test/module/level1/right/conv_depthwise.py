import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def depthwise(x_ptr, w_ptr, y_ptr, C, H, W, OH, OW, K: tl.constexpr, TILE_H: tl.constexpr, TILE_W: tl.constexpr):
    plane = tl.program_id(2)
    oh = tl.program_id(0) * TILE_H + tl.arange(0, TILE_H)[:, None]
    ow = tl.program_id(1) * TILE_W + tl.arange(0, TILE_W)[None, :]
    ok = (oh < OH) & (ow < OW)
    acc = tl.zeros((TILE_H, TILE_W), dtype=tl.float32)
    for i in tl.static_range(K):
        for j in tl.static_range(K):
            weight = tl.load(w_ptr + (plane % C) * K * K + i * K + j)
            acc += weight * tl.load(x_ptr + plane * H * W + (oh + i) * W + (ow + j), mask=ok, other=0.0)
    tl.store(y_ptr + plane * OH * OW + oh * OW + ow, acc, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size
        self.conv2d = nn.Conv2d(channels, channels, kernel_size, groups=channels, bias=False)

    def forward(self, x):
        N, C, H, W = x.shape
        OH, OW = H - self.kernel_size + 1, W - self.kernel_size + 1
        y = x.new_empty((N, C, OH, OW))
        grid = (triton.cdiv(OH, 8), triton.cdiv(OW, 32), N * C)
        depthwise[grid](x, self.conv2d.weight, y, C, H, W, OH, OW, K=self.kernel_size, TILE_H=8, TILE_W=32)
        return y
