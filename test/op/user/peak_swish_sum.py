"""Swish of x plus a weight, divided by the largest magnitude in its row plus 1e-3."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "w": {"shape": ("N",), "scale": (1, 4), "role": "weight"},
}


def reference(x, w):
    h = x.float() + w.float()
    s = h * torch.sigmoid(h)
    peak = s.abs().amax(dim=-1, keepdim=True)
    return (s / (peak + 1e-3)).to(x.dtype)
