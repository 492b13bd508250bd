"""Product of two matrices of any sizes."""
inputs = {
    "a": {"shape": ("M", "K"), "scale": (1e-2, 4)},
    "b": {"shape": ("K", "N"), "scale": (1e-2, 4)},
}


def reference(a, b):
    return (a.float() @ b.float()).to(a.dtype)
