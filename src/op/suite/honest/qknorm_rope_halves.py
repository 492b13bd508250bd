# op: qknorm_rope
# about: both halves of a head in registers, several heads per program, one pass
import torch
import triton
import triton.language as tl


@triton.jit
def load_f32(ptr, mask):
    return tl.load(ptr, mask=mask, other=0.0).to(tl.float32)


@triton.jit
def qk_norm_rope(
    q_ptr, w_ptr, cos_ptr, sin_ptr, o_ptr, n_heads, head_dim, s_q, s_c, s_s, s_o, eps,
    HEADS: tl.constexpr, HALF: tl.constexpr,
):
    half = head_dim // 2
    h = tl.program_id(0) * HEADS + tl.arange(0, HEADS)
    d = tl.arange(0, HALF)
    live = h < n_heads
    dm = d < half
    m = live[:, None] & dm[None, :]
    h = h.to(tl.int64)[:, None]
    lo = load_f32(q_ptr + h * s_q + d[None, :], m)
    hi = load_f32(q_ptr + h * s_q + half + d[None, :], m)
    ms = (tl.sum(lo * lo, axis=1) + tl.sum(hi * hi, axis=1)) / head_dim
    r = tl.rsqrt(ms + eps)[:, None]
    lo = lo * r * load_f32(w_ptr + d, dm)[None, :]
    hi = hi * r * load_f32(w_ptr + half + d, dm)[None, :]
    c_lo = load_f32(cos_ptr + h * s_c + d[None, :], m)
    c_hi = load_f32(cos_ptr + h * s_c + half + d[None, :], m)
    s_lo = load_f32(sin_ptr + h * s_s + d[None, :], m)
    s_hi = load_f32(sin_ptr + h * s_s + half + d[None, :], m)
    tl.store(o_ptr + h * s_o + d[None, :], lo * c_lo - hi * s_lo, mask=m)
    tl.store(o_ptr + h * s_o + half + d[None, :], hi * c_hi + lo * s_hi, mask=m)


def run(x, w, cos, sin):
    n_heads, head_dim = x.shape
    out = torch.empty_like(x)
    HALF = triton.next_power_of_2(head_dim // 2)
    HEADS = 4 if HALF <= 256 else 1
    qk_norm_rope[(triton.cdiv(n_heads, HEADS),)](
        x, w, cos, sin, out, n_heads, head_dim, x.stride(0), cos.stride(0), sin.stride(0), out.stride(0), 1e-6,
        HEADS=HEADS, HALF=HALF,
    )
    return out
