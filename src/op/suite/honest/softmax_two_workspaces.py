# op: softmax
# about: two workspaces in turn, each written before it is read
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def statistics(x_ptr, ws_ptr, sx, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    tl.store(ws_ptr + 2 * row, top)
    tl.store(ws_ptr + 2 * row + 1, tl.sum(tl.exp(x - top), axis=0))


@triton.jit
def apply(x_ptr, ws_ptr, out_ptr, sx, so, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = tl.exp(x - tl.load(ws_ptr + 2 * row)) / tl.load(ws_ptr + 2 * row + 1)
    tl.store(out_ptr + row * so + cols, y, mask=cols < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = 0
        self.spaces = [None, None]

    def forward(self, x):
        M, N = x.shape
        self.turn = 1 - self.turn
        spaces, turn = self.spaces, self.turn
        if spaces[turn] is None or spaces[turn].shape[0] < M:
            spaces[turn] = torch.empty((M, 2), dtype=torch.float32, device=x.device)
        ws = spaces[turn]
        out = torch.empty_like(x)
        block = triton.next_power_of_2(N)
        statistics[(M,)](x, ws, x.stride(0), N, BLOCK=block)
        apply[(M,)](x, ws, out, x.stride(0), out.stride(0), N, BLOCK=block)
        return out
