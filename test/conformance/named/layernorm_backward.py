"""Backward of layer normalisation: the gradients of x, and of w and b by blocks of 4 rows."""
inputs = {
    "dy": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "x": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "w": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
    "mean": {"shape": ("B",), "dtype": "float32", "range": (-8, 8)},
    "rstd": {"shape": ("B",), "dtype": "float32", "range": (0.1, 10)},
}
outputs = {"dx": {}, "dw": {}, "db": {}}
dims = {"B": {"multiple_of": 4, "min": 4}}


def reference(dy, x, w, mean, rstd):
    h, d = (x.float() - mean[:, None]) * rstd[:, None], dy.float()
    g = d * w.float()
    dx = (g - (h * (h * g).mean(-1, keepdim=True) + g.mean(-1, keepdim=True))) * rstd[:, None]
    return dx.to(x.dtype), (d * h).reshape(-1, 4, x.shape[1]).sum(1), d.reshape(-1, 4, x.shape[1]).sum(1)
