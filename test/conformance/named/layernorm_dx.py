"""Backward of layer normalisation: the gradient of x."""
inputs = {
    "dy": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "w": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
    "mean": {"shape": ("M",), "dtype": "float32", "range": (-8, 8)},
    "rstd": {"shape": ("M",), "dtype": "float32", "range": (0.1, 10)},
}


def reference(dy, x, w, mean, rstd):
    h = (x.float() - mean[:, None]) * rstd[:, None]
    g = dy.float() * w.float()
    return ((g - (h * (h * g).mean(-1, keepdim=True) + g.mean(-1, keepdim=True))) * rstd[:, None]).to(x.dtype)
