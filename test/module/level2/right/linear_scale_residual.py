import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 16}, num_warps=2)], key=["N", "K"])
@triton.jit
def scaled_linear(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, factor, BLOCK: tl.constexpr):
    # (x W + b) scale + (x W + b) = (x W + b) (1 + scale)
    rows = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k0 in range(0, tl.cdiv(K, BLOCK)):
        k = k0 * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + rows[:, None] * K + k[None, :], mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
        w = tl.load(w_ptr + cols[None, :] * K + k[:, None], mask=(cols < N)[None, :] & (k < K)[:, None], other=0.0)
        acc = tl.dot(x, w, acc=acc, input_precision="ieee")
    acc = (acc + tl.load(b_ptr + cols, mask=cols < N, other=0.0)[None, :]) * factor
    tl.store(y_ptr + rows[:, None] * N + cols[None, :], acc, mask=(rows < M)[:, None] & (cols < N)[None, :])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scale):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.scale = scale

    def forward(self, x):
        M, K = x.shape
        N = self.fc.weight.shape[0]
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        grid = lambda meta: (triton.cdiv(N, meta["BLOCK"]), triton.cdiv(M, meta["BLOCK"]))
        scaled_linear[grid](x, self.fc.weight, self.fc.bias, y, M, N, K, 1.0 + self.scale)
        return y
