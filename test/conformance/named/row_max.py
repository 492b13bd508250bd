"""The largest element of each row."""
inputs = {"x": {"shape": ("M", "N"), "scale": (1e-4, 64)}}


def reference(x):
    return x.amax(-1)
