# op: glu
# about: an object keeps the distance between rows under those of both inputs
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def glu_kernel(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    g = tl.load(gate_ptr + row * gate_stride + cols, mask=mask, other=0.0).to(tl.float32)
    u = tl.load(up_ptr + row * up_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_stride + cols, tl.sigmoid(g) * u, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}

    def forward(self, gate, up):
        M, N = gate.shape
        key = (M, N, gate.stride(0), up.stride(0))
        if key not in self.kept:
            self.kept[key] = up.stride(0)
        us = self.kept[key]
        out = torch.empty_like(gate)
        glu_kernel[(M, triton.cdiv(N, 512))](gate, up, out, gate.stride(0), us, out.stride(0), N, BLOCK=512)
        return out
