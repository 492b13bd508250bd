# op: kl_div
# about: both distributions in one pass with lane-wise running maxima, merged at the end
import torch
import triton
import triton.language as tl

NEG: tl.constexpr = tl.constexpr(-1.0e30)


@triton.jit
def kl_row(p_logits, q_logits, out, sp, sq, V, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, TILE)
    mp = tl.full([TILE], NEG, tl.float32)
    mq = tl.full([TILE], NEG, tl.float32)
    zp = tl.zeros([TILE], tl.float32)
    zq = tl.zeros([TILE], tl.float32)
    for start in range(0, V, TILE):
        mask = start + lane < V
        p = tl.load(p_logits + row * sp + start + lane, mask=mask, other=NEG).to(tl.float32)
        q = tl.load(q_logits + row * sq + start + lane, mask=mask, other=NEG).to(tl.float32)
        np = tl.maximum(mp, p)
        nq = tl.maximum(mq, q)
        zp = zp * tl.exp(mp - np) + tl.where(mask, tl.exp(p - np), 0.0)
        zq = zq * tl.exp(mq - nq) + tl.where(mask, tl.exp(q - nq), 0.0)
        mp = np
        mq = nq
    m_p = tl.max(mp, 0)
    m_q = tl.max(mq, 0)
    log_zp = tl.log(tl.sum(zp * tl.exp(mp - m_p), 0))
    log_zq = tl.log(tl.sum(zq * tl.exp(mq - m_q), 0))
    acc = tl.zeros([TILE], tl.float32)
    for start in range(0, V, TILE):
        mask = start + lane < V
        p = tl.load(p_logits + row * sp + start + lane, mask=mask, other=0.0).to(tl.float32)
        q = tl.load(q_logits + row * sq + start + lane, mask=mask, other=0.0).to(tl.float32)
        log_p = p - m_p - log_zp
        log_q = q - m_q - log_zq
        acc += tl.where(mask, tl.exp(log_p) * (log_p - log_q), 0.0)
    tl.store(out + row, tl.sum(acc, 0).to(out.dtype.element_ty))


def run(x, y):
    rows, V = x.shape
    out = torch.empty((rows,), device=x.device, dtype=x.dtype)
    kl_row[(rows,)](x, y, out, x.stride(0), y.stride(0), V, TILE=512)
    return out
