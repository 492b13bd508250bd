"""Root mean square normalisation (eps 1e-6) times w, then rotary embedding: h * cos + rotate_half(h) * sin, h = x * rsqrt(mean(x^2) + 1e-6) * w."""
# words: qk norm rope | qk norm then rope | rmsnorm then rope | rms norm then rope | rmsnorm rope | rope of rmsnorm | rope of the rmsnorm | rmsnorm and rope | rmsnorm then rotary embedding | qk norm and rotary embedding | rope after rmsnorm | rmsnorm followed by rope
inputs = {
    "x": {"shape": ("M", "D"), "scale": (1e-4, 64), "large": True},
    "w": {"shape": ("D",), "scale": (1, 32), "role": "weight"},
    "cos": {"shape": ("M", "D"), "range": (-1, 1)},
    "sin": {"shape": ("M", "D"), "range": (-1, 1)},
}
dims = {"M": {"usual": 32768}, "D": {"multiple_of": 2, "min": 2, "usual": 128}}
invariant = {"w": ("scale", 1)}


def rotate_half(h):
    half = h.shape[-1] // 2
    return torch.cat((-h[:, half:], h[:, :half]), dim=-1)


def reference(x, w, cos, sin):
    h = x.float()
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()
    return (h * cos.float() + rotate_half(h) * sin.float()).to(x.dtype)


def rounded_normalised(x, w, cos, sin):
    h = x.float()
    h = (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype).float() * w.float()
    return (h * cos.float() + rotate_half(h) * sin.float()).to(x.dtype)


roundings = {"normalised": rounded_normalised}
