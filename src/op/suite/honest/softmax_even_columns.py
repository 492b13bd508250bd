# op: softmax
# about: masks only where the row is no power of two, decided by a heuristic; the row as a view of four axes
import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK_N": lambda meta: triton.next_power_of_2(meta["N"])})
@triton.heuristics({"EVEN_N": lambda meta: meta["N"] == meta["BLOCK_N"]})
@triton.jit
def softmax_fwd(Out, In, stride_b, stride_h, stride_m, out_b, out_h, out_m, N, BLOCK_N: tl.constexpr, EVEN_N: tl.constexpr):
    m, h, b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    In = In + b.to(tl.int64) * stride_b + h.to(tl.int64) * stride_h + m.to(tl.int64) * stride_m
    Out = Out + b.to(tl.int64) * out_b + h.to(tl.int64) * out_h + m.to(tl.int64) * out_m
    n = tl.arange(0, BLOCK_N)
    if EVEN_N:
        x = tl.load(In + n).to(tl.float32)
    else:
        x = tl.load(In + n, mask=n < N, other=float("-inf")).to(tl.float32)
    z = tl.exp(x - tl.max(x, axis=0))
    y = z / tl.sum(z, axis=0)
    if EVEN_N:
        tl.store(Out + n, y)
    else:
        tl.store(Out + n, y, mask=n < N)


def run(x):
    M, N = x.shape
    heads = 2 if M % 2 == 0 else 1
    x4 = x.view(1, heads, M // heads, N)
    out = torch.empty(x4.shape, dtype=x.dtype, device=x.device)
    softmax_fwd[(M // heads, heads, 1)](out, x4, *x4.stride()[:3], *out.stride()[:3], N)
    return out.view(M, N)
