"""Silu(a) times b, of three dimensions."""
inputs = {
    "a": {"shape": ("B", "T", "N"), "scale": (1e-4, 64)},
    "b": {"shape": ("B", "T", "N"), "scale": (1e-4, 64)},
}


def reference(a, b):
    x = a.float()
    return (x * torch.sigmoid(x) * b.float()).to(a.dtype)
