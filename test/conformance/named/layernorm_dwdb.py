"""Backward of layer normalisation: the gradients of w and b."""
inputs = {
    "dy": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "x": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "mean": {"shape": ("B",), "dtype": "float32", "range": (-8, 8)},
    "rstd": {"shape": ("B",), "dtype": "float32", "range": (0.1, 10)},
}
outputs = {"dw": {}, "db": {}}


def reference(dy, x, mean, rstd):
    d = dy.float()
    return (d * ((x.float() - mean[:, None]) * rstd[:, None])).sum(0), d.sum(0)
