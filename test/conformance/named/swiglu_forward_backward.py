"""Backward of silu(x) times y with the product computed anew: gradients of x and y, and the product."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "y": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "g": {"shape": ("M", "N"), "scale": (1e-3, 16)},
}
outputs = {"dx": {}, "dy": {}, "z": {}}


def reference(x, y, g):
    h, u, d = x.float(), y.float(), g.float()
    s = torch.sigmoid(h)
    return (d * s * (1 + h * (1 - s)) * u).to(x.dtype), (d * (h * s)).to(x.dtype), (h * s * u).to(x.dtype)
