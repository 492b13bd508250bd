"""Root mean square normalisation (eps 1e-6) of x + residual times w, then rotary embedding: h * cos + rotate_half(h) * sin."""
# words: residual rmsnorm rope | residual add rmsnorm rope | add residual then rmsnorm then rope | rmsnorm of the sum then rope | add rmsnorm then rope | rmsnorm with residual then rope | add rms norm rope
inputs = {
    "x": {"shape": ("M", "D"), "scale": (1e-4, 64), "large": True},
    "residual": {"shape": ("M", "D"), "scale": (1e-4, 64), "large": True},
    "w": {"shape": ("D",), "scale": (1, 32), "role": "weight"},
    "cos": {"shape": ("M", "D"), "range": (-1, 1)},
    "sin": {"shape": ("M", "D"), "range": (-1, 1)},
}
dims = {"M": {"usual": 32768}, "D": {"multiple_of": 2, "min": 2, "usual": 128}}
invariant = {"w": ("scale", 1)}


def rotate_half(h):
    half = h.shape[-1] // 2
    return torch.cat((-h[:, half:], h[:, :half]), dim=-1)


def reference(x, residual, w, cos, sin):
    h = x.float() + residual.float()
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()
    return (h * cos.float() + rotate_half(h) * sin.float()).to(x.dtype)


def rounded_sum(x, residual, w, cos, sin):
    h = (x.float() + residual.float()).to(x.dtype).float()
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()
    return (h * cos.float() + rotate_half(h) * sin.float()).to(x.dtype)


def rounded_normalised(x, residual, w, cos, sin):
    h = x.float() + residual.float()
    h = (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype).float() * w.float()
    return (h * cos.float() + rotate_half(h) * sin.float()).to(x.dtype)


def rounded_both(x, residual, w, cos, sin):
    h = (x.float() + residual.float()).to(x.dtype).float()
    h = (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype).float() * w.float()
    return (h * cos.float() + rotate_half(h) * sin.float()).to(x.dtype)


roundings = {"sum": rounded_sum, "normalised": rounded_normalised, "both": rounded_both}
