"""The sum s of x and r, its root mean square normalisation (eps 1e-6) times w, and the reciprocal root."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "r": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "w": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
}
outputs = {"y": {}, "s": {}, "rstd": {}}


def reference(x, r, w):
    s = x + r
    h = s.float()
    rstd = torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-6)
    return (h * rstd).to(x.dtype) * w, s, rstd.squeeze(-1)
