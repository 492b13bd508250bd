"""Backward of the normalised sum: gradients of the sum, and of w by blocks of 4 rows."""
inputs = {
    "dy": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "ds": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "x": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "w": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
    "rstd": {"shape": ("B",), "dtype": "float32", "range": (0.1, 10)},
}
outputs = {"dx": {}, "dw": {}}
dims = {"B": {"multiple_of": 4, "min": 4}}


def reference(dy, ds, x, w, rstd):
    h, r = x.float(), rstd[:, None]
    m = (dy * w).float()
    dx = r * m - r * r * r / x.shape[1] * (m * h).sum(-1, keepdim=True) * h + ds.float()
    return dx.to(x.dtype), (dy * (h * r).to(x.dtype)).float().reshape(-1, 4, x.shape[1]).sum(1)
