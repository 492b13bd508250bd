"""Root mean square normalisation with an offset weight: x * rsqrt(mean(x^2) + 1e-6) * (1 + w)."""
# words: gemma rmsnorm | gemma rms norm | gemma norm | rms norm gemma | rms norm with offset weight | rmsnorm with one plus weight | rmsnorm times one plus w | zero centred rmsnorm | zero centered rmsnorm
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
    "w": {"shape": ("N",), "scale": (1, 32), "role": "weight"},
}


def reference(x, w):
    h = x.float()
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * (1 + w.float())).to(x.dtype)
