"""Backward of softmax: y times (dy minus the row's sum of dy times y)."""
inputs = {
    "dy": {"shape": ("M", "N"), "dtype": "float32", "scale": (1e-3, 16)},
    "y": {"shape": ("M", "N"), "dtype": "float32", "range": (0, 0.01)},
}


def reference(dy, y):
    return y * (dy - (dy * y).float().sum(-1, keepdim=True).to(y.dtype))
