# op: rmsnorm_relu6
# about: the activation chosen by a constexpr string, one kernel for many
import torch
import triton
import triton.language as tl


@triton.jit
def activate(x, ACT: tl.constexpr):
    if ACT == "relu":
        return tl.maximum(x, 0.0)
    elif ACT == "relu6":
        return tl.minimum(tl.maximum(x, 0.0), 6.0)
    elif ACT == "silu":
        return x * tl.sigmoid(x)
    else:
        tl.static_assert(ACT == "none", "unknown activation")
        return x


@triton.jit
def rms_act_kernel(x_ptr, w_ptr, y_ptr, sx, sy, N, eps, ACT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc = tl.fma(x, x, acc)
    r = tl.rsqrt(tl.sum(acc, axis=0) / N + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * sy + cols, activate(x * r * w, ACT), mask=mask)


def rms_norm(x, w, eps=1e-6, activation=None):
    M, N = x.shape
    y = torch.empty_like(x)
    rms_act_kernel[(M,)](x, w, y, x.stride(0), y.stride(0), N, eps, ACT=activation or "none", BLOCK=1024)
    return y


def run(x, w):
    return rms_norm(x, w, activation="relu6")
