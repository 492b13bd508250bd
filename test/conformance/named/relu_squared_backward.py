"""Backward of relu squared: dy times 2 times relu of x."""
inputs = {
    "dy": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64)},
}


def reference(dy, x):
    return dy * 2 * torch.relu(x)
