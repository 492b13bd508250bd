import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv3d_kernel(x_ptr, w_ptr, y_ptr, CI, CO, D, H, W, OD, OH, OW, KD: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr,
                  BLOCK: tl.constexpr):
    nc = tl.program_id(1)
    n, co = nc // CO, nc % CO
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = o < OD * OH * OW
    d, h, w = o // (OH * OW), o // OW % OH, o % OW
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for ci in range(CI):
        for k in tl.static_range(KD * KH * KW):
            kd = k // (KH * KW)
            kh = k // KW % KH
            kw = k % KW
            x = tl.load(x_ptr + (((n * CI + ci) * D + d + kd) * H + h + kh) * W + w + kw, mask=ok, other=0.0)
            acc += x * tl.load(w_ptr + (co * CI + ci) * KD * KH * KW + k)
    tl.store(y_ptr + nc * OD * OH * OW + o, acc, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv3d = nn.Conv3d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        N, CI, D, H, W = x.shape
        CO, _, KD, KH, KW = self.conv3d.weight.shape
        OD, OH, OW = D - KD + 1, H - KH + 1, W - KW + 1
        y = torch.empty((N, CO, OD, OH, OW), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(OD * OH * OW, 256), N * CO)
        conv3d_kernel[grid](x, self.conv3d.weight, y, CI, CO, D, H, W, OD, OH, OW, KD=KD, KH=KH, KW=KW, BLOCK=256)
        return y
