"""Backward of the logarithm of the logistic function."""
inputs = {
    "dy": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64)},
}


def reference(dy, x):
    return (dy.float() * (1 - torch.sigmoid(x.float()))).to(x.dtype)
