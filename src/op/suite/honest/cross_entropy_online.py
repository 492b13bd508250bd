# op: cross_entropy
# about: online log-sum-exp over blocks, target logit picked out of the blocks by comparison
# attack: A61
import torch
import triton
import triton.language as tl


@triton.jit
def ce_online(logits_ptr, labels_ptr, loss_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * stride
    label = tl.load(labels_ptr + row)
    m = -1e30
    d = 0.0
    picked = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + cols, mask=cols < n_cols, other=float("-inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
        picked += tl.sum(tl.where(cols == label, x, 0.0))
    tl.store(loss_ptr + row, m + tl.log(d) - picked)


def run(x, target):
    M, N = x.shape
    loss = torch.empty((M,), device=x.device, dtype=x.dtype)
    ce_online[(M,)](x, target, loss, x.stride(0), N, BLOCK=4096 if N > 4096 else triton.next_power_of_2(N), num_warps=16)
    return loss
