"""Backward of root mean square normalisation: the gradient of w, by blocks of 16 rows."""
inputs = {
    "dy": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "x": {"shape": ("B", "N"), "scale": (1e-3, 16)},
    "rstd": {"shape": ("B",), "dtype": "float32", "range": (0.1, 10)},
}
dims = {"B": {"multiple_of": 16, "min": 16}}


def reference(dy, x, rstd):
    return (x.float() * dy.float() * rstd[:, None]).reshape(-1, 16, x.shape[1]).sum(1)
