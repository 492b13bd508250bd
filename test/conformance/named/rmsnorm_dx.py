"""Backward of root mean square normalisation: the gradient of x."""
inputs = {
    "dy": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "w": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
    "rstd": {"shape": ("M",), "dtype": "float32", "range": (0.1, 10)},
}


def reference(dy, x, w, rstd):
    h, d, r = x.float() * rstd[:, None], dy.float() * w.float(), rstd[:, None]
    return ((d - h * (h * d).mean(-1, keepdim=True)) * r).to(x.dtype)
