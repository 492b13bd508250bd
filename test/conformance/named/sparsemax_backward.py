"""Backward of sparsemax: on the support, dy minus its mean there; zero elsewhere."""
inputs = {
    "dy": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "o": {"shape": ("M", "N"), "range": (0, 1)},
}


def reference(dy, o):
    d, on = dy.float(), torch.where(o > 0, 1.0, 0.0)
    mean = ((d * on).sum(-1, keepdim=True) / torch.clamp(on.sum(-1, keepdim=True), min=1e-6)).to(dy.dtype)
    return torch.where(o > 0, d - mean.float(), 0.0).to(dy.dtype)
